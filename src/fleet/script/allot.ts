/** The part of the script with the functions of `rules/reply.ts` and `rules/allot.ts`. */
export const allotScript = `
local function held(member) return member.unsent + member.inFlight end

local function isDayNearlyExhausted(state)
  local perDay = state.perDay ~= 0 and state.perDay or PER_DAY[state.limit]
  return perDay ~= nil and state.dayCount >= perDay - max(0.05 * perDay, state.limit)
end

local function inFlightTotal(state)
  if state.planned and state.othersNow == 0 then return 256 end
  if state.windowLimit == 0 or state.reset == 0 or isDayNearlyExhausted(state) then return 4 end
  local part = state.first and FIRST_IN_FLIGHT_PART or IN_FLIGHT_PART
  local byLimit = isAlone(state) and floor(state.limit / part) or 0
  local byPace = ceil((1.5 * state.limit * state.rtt) / MINUTE)
  return min(256, max(4, byLimit, byPace))
end

local function inFlightCap(request)
  local sharers = max(1, min(request.others.count, request.others.holders) + 1)
  return max(1, floor(inFlightTotal(request.state) / sharers + 0.5))
end

local function leaseForNeed(state, count, cap) return LEASE_FOR_NEED + (1.5 * count * state.rtt) / cap end

local function reply(request, decision, more)
  local state, members = request.state, request.others.count + 1
  local answer = { kind = 'sync', stale = false, decision = decision, now = request.now, generation = state.generation,
    members = members, rank = request.others.before, limit = state.limit, granted = 0, leaseFor = 0, probe = false,
    inFlightCap = inFlightCap(request), left = -1, resumeAt = state.resumeAt, holdEndsAt = state.holdEndsAt,
    serverHoldUntil = state.serverHoldUntil, retryAt = 0,
    ['repeat'] = false, resetAt = reachedAt(state, state.reset) or 0, prompt = not request.sure,
    returnAfter = request.scarce and 8000 or 0,
    eager = request.scarce and (request.rolling or state.limit < 4 * members) }
  for name, value in pairs(more) do answer[name] = value end
  return answer
end

local function give(request, decision, count, leaseFor, more)
  local member = request.member
  member.unsent = member.unsent + count
  member.unsentEnd = max(member.unsentEnd, request.now + leaseFor)
  member.want = 0
  member.promised = 0
  member.ahead = max(0, count - request.operation.need)
  more.granted = count
  more.leaseFor = leaseFor
  return reply(request, decision, more)
end

local function later(request, decision, retryAt, more, promised)
  local member = request.member
  member.want = request.operation.need
  member.wantUntil = retryAt + 2000
  member.promised = promised or 0
  more = more or {}
  more.retryAt = retryAt
  return reply(request, decision, more)
end

local function keptUntil(state, now) return (reachedAt(state, state.reset) or now) - RELEASE_KEPT end

local function keptForHigh(state, others, rolling, now)
  local time = rolling and 10000 or min(MINUTE, keptUntil(state, now) - now)
  if others.high == 0 or time <= 0 then return 0 end
  local expected = others.highRate * time
  local wanted = ceil(expected + 2 * math.sqrt(expected)) + 1
  return min(floor(state.limit / 2), max(wanted, ceil(state.limit / 20)))
end

local function allowanceOf(request)
  local state, operation, now = request.state, request.operation, request.now
  local awayShares = request.others.away * ceil(state.limit / (request.others.count + 1))
  local out = request.others.out + held(request.member) + awayShares
  if state.remaining < 0 then return { left = state.blind - out, free = state.blind - out, reserved = 0, byLog = false } end
  local own, strangers = state.own + state.ownNow, state.others + state.othersNow
  local share = (own + 1) / (own + 1 + strangers)
  local room = max(0, min(ceil(strangers / (own + 1) - 0.25), 8, floor(state.limit / 20)))
  local countedFrom = state.lostAt + LEASE_AHEAD
  local byLog = request.sure and request.rolling and now - state.logWrongAt > DISTRUST_LOG
    and now - ROLLING_MINUTE > countedFrom
  local left = state.remaining - out
  if request.sure and not request.rolling and state.baseAt > countedFrom then
    left = max(left, min(state.remaining, state.base - state.consumed - out))
  end
  if byLog then left = max(left, state.limit - requestsInMinute(state, now) - out) end
  left = left - room
  local free = left
  if not request.sure and not (state.planned and state.othersNow == 0) then
    local slice = floor((state.remaining - room) * min(1 / SLICE, share / 2))
    free = min(left, min(max(1, slice), inFlightTotal(state)) - out)
    if free <= 0 and left > 0 and now >= state.trickleAt then free = 1 end
  end
  if isDayNearlyExhausted(state) then free = min(free, 4 - out) end
  local kept = keptForHigh(state, request.others, request.rolling, now)
  local reserved, forNormal = kept + awayShares, min(free, left - kept)
  if operation.high == 0 then return { left = left - kept, free = forNormal, reserved = reserved, byLog = byLog } end
  return { left = left, free = max(min(free, operation.high), forNormal), reserved = reserved, byLog = byLog }
end

local function aheadFor(request, spare, steady)
  local state, operation, others = request.state, request.operation, request.others
  local members = others.count + 1
  if state.limit < 4 * members then return 0 end
  local quick = operation.need <= operation.lastLease and 2 * operation.lastLease or 0
  local rates = others.rate + operation.rate
  local part = max(rates > 0 and operation.rate / rates or 0, quick > 0 and 1 / members or 0)
  local most = floor(state.limit * min(0.8, state.limit / members / 40)) - others.ahead
  local bySpare = floor(spare * (request.scarce and part or max(part, 0.25)))
  return max(0, min(most, max(steady, quick), bySpare))
end

local function grant(request, allowance)
  local state, operation, member, others = request.state, request.operation, request.member, request.others
  if not request.sure then state.trickleAt = request.now + max(50, state.rtt) end
  local free = allowance.free
  local promised = member.wantUntil > request.now and member.promised or 0
  local fairPart = floor(free / (others.waiting + 1))
  local needed = min(operation.need, free, max(1, fairPart, free - others.wants, promised))
  local steady = ceil(operation.rate * (request.scarce and 30000 or MINUTE)) - 1
  local ahead = 0
  if request.sure and needed == operation.need and not isDayNearlyExhausted(state) then
    ahead = aheadFor(request, free - needed - others.wants, steady)
  end
  local isShort = ahead == 0 or ahead > steady
  local leaseFor = request.scarce and LEASE_SCARCE or LEASE_AHEAD
  if isShort then leaseFor = leaseForNeed(state, needed + ahead, inFlightCap(request)) end
  local more = { left = allowance.left - needed - ahead }
  if isShort then more.returnAfter = 2000 end
  return give(request, 'grant', needed + ahead, leaseFor, more)
end

local function probe(request)
  local state, now = request.state, request.now
  state.prober = request.operation.member
  state.probeAt = now
  state.probeUntil = now + max(PROBE_TIMEOUT, 4 * state.rtt)
  return give(request, 'probe', 1, leaseForNeed(state, 1, 1), { probe = true, prompt = true, inFlightCap = 1 })
end

local function afterProbe(state, now)
  local rtt = state.rtt ~= 0 and state.rtt or 120
  return max(state.probeAt + 1.3 * rtt, now + max(40, 0.5 * rtt))
end

local function turnAfter(state, moment)
  if abs(state.deniedFor - moment) > 2000 then
    state.deniedFor, state.deniedCount = moment, 0
  end
  state.deniedCount = state.deniedCount + 1
  return state.deniedCount == 1 and moment or moment + 2 * state.rtt + 50
end

local function nextOfRollingMinute(request, left, open)
  local state, others, now = request.state, request.others, request.now
  local part = min(request.operation.need, max(1, ceil(state.limit / 60)))
  local missing, when, seconds = others.promised + part - left, now + 1000, {}
  for second in pairs(state.log) do seconds[#seconds + 1] = second end
  table.sort(seconds)
  for _, second in ipairs(seconds) do
    if second * 1000 >= now - ROLLING_MINUTE then
      missing = missing - state.log[second]
      when = (second + 61) * 1000 + 110
      if missing <= 0 then break end
    end
  end
  local byPace = max(open, now) + others.promised / (state.limit / MINUTE)
  return later(request, 'rolls', max(now + 100, min(when, byPace)), {}, part)
end

local function allot(state, operation, member, others, now)
  local request = { state = state, operation = operation, member = member, others = others, now = now,
    sure = isAlone(state) and now >= state.carefulUntil, rolling = isRolling(state, now),
    scarce = state.scarceAt > now - 1.5 * MINUTE or state.recent * 2 * LN2 > 0.7 * state.limit }
  local soon = now + max(50, state.rtt)
  if operation.need <= 0 then
    member.want = 0
    return reply(request, 'report', {})
  end
  if now < state.resumeAt then return later(request, 'hold', turnAfter(state, state.resumeAt)) end
  if state.mode ~= 'OPEN' then
    if state.prober ~= '' and state.prober ~= operation.member and now < state.probeUntil then
      return later(request, 'probing', afterProbe(state, now))
    end
    if held(member) > 0 then return later(request, 'out', soon) end
    return probe(request)
  end
  local allowance = allowanceOf(request)
  if allowance.free > 0 then return grant(request, allowance) end
  state.scarceAt = now
  if allowance.left > 0 then
    local wait = max(30, state.rtt ~= 0 and state.rtt or 100) * min(20, 2 ^ operation.repeats)
    return later(request, 'careful', now + wait, { ['repeat'] = true })
  end
  local resetAt = reachedAt(state, state.reset)
  if not resetAt then
    if others.out + held(member) > 0 then return later(request, 'out', soon) end
    extendHold(state, now + BLIND_HOLD, PAD)
    toProbe(state, now)
    return later(request, 'unknown', turnAfter(state, state.resumeAt))
  end
  local open = resetAt + PAD
  if allowance.byLog then return nextOfRollingMinute(request, allowance.left, open) end
  if now < open then
    local release = keptUntil(state, now)
    if now < release and allowance.left + allowance.reserved > 0 then
      return later(request, 'idle', min(release, now + max(2000, (release - now) / 8)))
    end
    if others.idleAhead > 0 and open - now > 6000 then
      return later(request, 'idle', now + max(4000, (open - now) / 3))
    end
    return later(request, 'exhausted', turnAfter(state, open))
  end
  if held(member) > 0 then return later(request, 'out', soon) end
  toProbe(state, now)
  return probe(request)
end
`;
