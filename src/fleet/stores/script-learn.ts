/** The first half of the script: what an operation tells. The same functions as in `rules/members.ts` and `rules/learn.ts`. */
export const learnScript = `
local min, max, floor, ceil, abs = math.min, math.max, math.floor, math.ceil, math.abs
local NEVER = -1e12
local LN2 = 0.6931471805599453

local function createState(generation, now)
  return { generation = generation, newest = now, mode = 'COLD', limit = 0, windowLimit = 0, reset = 0, firstReset = 0,
    remaining = -1, remainingAt = NEVER, base = -1, baseAt = NEVER, consumed = 0, acceptedAt = NEVER, rollingAt = NEVER,
    log = {}, logWrongAt = NEVER, clockAt = now, hold = NEVER, toldHold = NEVER, refusals = 0, refusedAt = NEVER,
    prober = '', probeFrom = NEVER, probeAt = NEVER, probeUntil = NEVER, own = 0, others = 0, ownNow = 0, othersNow = 0,
    foldedAt = now, answered = 0, recent = 0, recentAt = now, rtt = 0, blind = 1, first = true, planned = false,
    day = -1, dayCount = 0, perDay = 0, outageAt = NEVER, outageUntil = NEVER, lostAt = NEVER, carefulUntil = NEVER, scarceAt = NEVER, trickleAt = NEVER,
    deniedFor = NEVER, deniedCount = 0, members = {} }
end

local function createMember(now)
  return { sequence = -1, seenAt = now, unsent = 0, unsentEnd = 0, inFlight = 0, inFlightEnd = 0, total = 0, assumed = {},
    want = 0, wantUntil = NEVER, promised = 0, ahead = 0, rate = 0, highAt = NEVER }
end

local function addToLog(state, second, count)
  state.log[second] = (state.log[second] or 0) + count
end

local function spentInMinute(state, moment)
  local spent = 0
  for second, count in pairs(state.log) do
    if second * 1000 >= moment - ROLLING_MINUTE then spent = spent + count end
  end
  return spent
end

local function assumeSpent(state, member, count, finish)
  if finish >= state.remainingAt and state.remaining > 0 then state.remaining = max(0, state.remaining - count) end
  if finish >= state.baseAt then
    state.consumed = state.consumed + count
    state.ownNow = state.ownNow + count
  end
  local second = floor((finish + 500) / 1000)
  addToLog(state, second, count)
  member.assumed[#member.assumed + 1] = { second, count }
end

local function expire(state, member, now)
  for _, kind in ipairs({ 'inFlight', 'unsent' }) do
    local finish = member[kind .. 'End']
    if member[kind] > 0 and now >= finish + GRACE then
      assumeSpent(state, member, member[kind], finish)
      member[kind] = 0
    end
  end
end

local function sweep(state, self, now)
  local others = { count = 0, before = 0, out = 0, holders = 0, away = 0, waiting = 0, wants = 0, promised = 0, ahead = 0,
    idleAhead = 0, rate = 0, high = 0, highRate = 0 }
  local gone = {}
  for id, member in pairs(state.members) do
    if id ~= self then
      expire(state, member, now)
      local held = member.unsent + member.inFlight
      if held == 0 and now - member.seenAt > FORGET_AFTER and member.wantUntil < now then
        gone[#gone + 1] = id
      else
        others.count = others.count + 1
        if id < self then others.before = others.before + 1 end
        others.out = others.out + held
        if held > 0 then others.holders = others.holders + 1 end
        local isAway = now < state.outageUntil and member.seenAt < state.outageAt
        if isAway then others.away = others.away + 1 end
        if member.want > 0 and member.wantUntil >= now then
          others.waiting = others.waiting + 1
          others.wants = others.wants + member.want
          others.promised = others.promised + member.promised
        end
        if member.unsent > 0 then
          others.ahead = others.ahead + member.ahead
          if now - member.seenAt > 5000 then others.idleAhead = others.idleAhead + member.ahead end
        end
        if now - member.seenAt < MINUTE then others.rate = others.rate + member.rate end
        if now - member.highAt < 2 * MINUTE then
          others.high, others.highRate = others.high + 1, others.highRate + member.rate
        end
      end
    end
  end
  for _, id in ipairs(gone) do state.members[id] = nil end
  return others
end

local function declare(state, operation, now)
  local known = state.members[operation.member]
  local member = known or createMember(now)
  state.members[operation.member] = member
  member.sequence = operation.sequence
  member.seenAt = now
  member.unsent = operation.unsent
  if member.unsent == 0 then member.unsentEnd = 0
  elseif not known then member.unsentEnd = now + LEASE_AHEAD end
  member.inFlight = operation.inFlight
  member.inFlightEnd = now + max(4 * state.rtt, 2000)
  member.rate = operation.rate
  if operation.high > 0 then member.highAt = now end
  return member
end

local function reachedAt(state, instant)
  local low = state.serviceLow or state.resetLow
  if instant == 0 or not low then return nil end
  return instant - low
end

local function isRolling(state, now) return now - state.rollingAt < ROLLING_FOR end

local function isAlone(state)
  return state.answered >= EVIDENCE and state.others <= (state.own + state.ownNow) / 10
    and state.othersNow <= 1 + state.ownNow / 20
end

local function toProbe(state, now)
  state.mode, state.probeFrom = 'PROBE', now
  state.remaining, state.blind = -1, 1
  state.first, state.planned = false, false
  state.prober, state.probeUntil = '', NEVER
end

local function learnClock(state, operation, now)
  local reset = operation.observation and operation.observation.reset or 0
  if reset > 0 then
    local low = reset - MINUTE - now
    state.resetLow = max(state.resetLow or low, low)
  end
  if not operation.clock then return end
  local low, high = operation.clock.low, operation.clock.high
  local slack = (now - state.clockAt) * 1e-4
  local knownLow, knownHigh = (state.serviceLow or low) - slack, (state.serviceHigh or high) + slack
  local contradicts = low > knownHigh or high < knownLow
  state.serviceLow = contradicts and low or max(knownLow, low)
  state.serviceHigh = contradicts and high or min(knownHigh, high)
  state.clockAt = now
end

local function learnSpending(state, operation, member, isNew, now)
  if operation.rtt > 0 then state.rtt = state.rtt + (state.rtt == 0 and 1 or 0.2) * (operation.rtt - state.rtt) end
  local day = floor((now + (state.serviceLow or 0)) / 86400000)
  if day ~= state.day then state.day, state.dayCount = day, 0 end
  local successes = isNew and operation.successes or operation.total - member.total
  member.total = operation.total
  state.dayCount = state.dayCount + successes
  state.answered = state.answered + successes
  state.recent = state.recent * 2 ^ (-(now - state.recentAt) / 30000) + successes
  state.recentAt = now
  local second = floor(now / 1000)
  for _, entry in ipairs(member.assumed) do
    if state.log[entry[1]] then state.log[entry[1]] = max(0, state.log[entry[1]] - entry[2]) end
  end
  member.assumed = {}
  for _, entry in ipairs(operation.times) do addToLog(state, min(entry[1], second), entry[2]) end
  local forgotten = successes - operation.successes
  if forgotten > 0 then addToLog(state, second, forgotten) end
  if operation.lost > 0 then
    addToLog(state, second, operation.lost)
    state.consumed = state.consumed + operation.lost
    if state.remaining > 0 then state.remaining = max(0, state.remaining - operation.lost) end
  end
  for old in pairs(state.log) do
    if old * 1000 < now - 65000 then state.log[old] = nil end
  end
  return successes
end

local function learnWithoutHeaders(state, successes)
  state.ownNow = state.ownNow + successes
  state.consumed = state.consumed + successes
  if state.remaining > 0 then state.remaining = max(0, state.remaining - successes)
  elseif state.remaining < 0 then state.blind = state.blind + successes end
end

local function assumedSince(state, sentAt)
  local count = 0
  for _, member in pairs(state.members) do
    for _, entry in ipairs(member.assumed) do
      if entry[1] * 1000 + 1000 > sentAt then count = count + entry[2] end
    end
  end
  return count
end

local function movedBy(state, reset, fresh)
  if fresh then return abs(reset - state.reset) end
  if reset - state.firstReset > 1500 then return reset - state.firstReset end
  return math.huge
end

local function beginWindow(state, remaining, successes, sentAt, reset, now)
  local decay = 2 ^ (-(now - state.foldedAt) / MINUTE)
  state.own = (state.own + state.ownNow + successes) * decay
  state.others = (state.others + state.othersNow) * decay
  state.ownNow, state.othersNow, state.consumed = 0, 0, 0
  state.base, state.baseAt = remaining, sentAt
  state.foldedAt = now
  state.firstReset = reset
end

local function countInWindow(state, operation, seenRemaining, sentAt, successes, out, now)
  local inWindow = max(0, successes - operation.successes)
  for _, entry in ipairs(operation.times) do
    if min(entry[1] * 1000, now) + 1000 > state.baseAt then inWindow = inWindow + entry[2] end
  end
  state.ownNow = state.ownNow + successes
  state.consumed = state.consumed + inWindow
  if isRolling(state, now) then
    if sentAt > now - 2000 then
      state.othersNow = max(0, state.limit - spentInMinute(state, sentAt) - out - seenRemaining)
    end
  else
    state.othersNow = max(state.othersNow, state.base - seenRemaining - state.ownNow - out)
  end
end

local function acceptWindow(state, limit, reset, now)
  state.windowLimit, state.reset, state.acceptedAt = limit, reset, now
  local finish = reachedAt(state, reset)
  local isLong = finish and finish - now > 65000 and state.limit > 0
  state.limit = isLong and min(limit, state.limit) or limit
end

local function learnWindow(state, operation, seen, successes, out, now)
  local opens = state.mode ~= 'OPEN' and now >= state.hold and (state.mode == 'COLD'
    or (state.prober == operation.member and operation.probeDone)
    or (seen.sentAt >= state.hold and seen.sentAt >= state.probeFrom))
  if not seen.remaining or not seen.limit then
    learnWithoutHeaders(state, successes)
    if opens then state.mode = 'OPEN' end
    return
  end
  local limit, reset, sentAt = seen.limit, seen.reset or 0, seen.sentAt
  local remaining = max(0, seen.remaining - assumedSince(state, sentAt))
  local inOrder = sentAt > state.acceptedAt
  local same = limit == state.windowLimit
  local comparable = same and reset > 0 and state.reset > 0
  if comparable and reset < state.reset - 1000 and not inOrder then
    state.own = state.own + successes
    return
  end
  local fresh
  if not same then fresh = true
  elseif comparable then fresh = abs(reset - state.reset) > 1000
  else fresh = inOrder and remaining > state.remaining end
  if comparable and movedBy(state, reset, fresh) < 50000 then state.rollingAt = now end
  if opens or (fresh and remaining >= state.remaining) then
    beginWindow(state, remaining, successes, sentAt, reset, now)
  else
    countInWindow(state, operation, seen.remaining, sentAt, successes, out, now)
  end
  if limit ~= state.limit then state.planned = false end
  acceptWindow(state, limit, (fresh or opens) and reset or max(state.reset, reset), now)
  if state.mode ~= 'OPEN' and not opens then return end
  if opens or fresh or state.remaining < 0 or remaining < state.remaining or inOrder then
    state.remaining = remaining
    state.remainingAt = sentAt
  end
  state.mode = 'OPEN'
  if sentAt > state.refusedAt then state.refusals = 0 end
end

local function backoffFor(refusals, fromServer)
  if not fromServer then return min(BLIND_HOLD * 4 ^ max(0, refusals - 1), LONGEST_BLIND_HOLD) end
  return refusals <= 1 and 0 or min(1000 * 2 ^ refusals, LONGEST_BACKOFF)
end

local function refuse(state, refusal, now)
  if refusal.limit and refusal.reset then
    state.windowLimit = refusal.limit
    state.reset = refusal.reset
    state.acceptedAt = now
  end
  if refusal.sentAt > state.refusedAt then
    state.refusals = state.refusals + 1
    if state.mode == 'OPEN' then
      if isRolling(state, now) then state.logWrongAt = now end
      state.others = state.others + state.own + state.ownNow + 1
    end
  end
  local finish = reachedAt(state, refusal.reset or 0)
  local resetIn = finish and max(0, finish - now) or 0
  local isNear = refusal.spent and finish and resetIn <= min(refusal.maxHold, NEAR_RESET)
  local byReset = (not refusal.retryAfter or isNear or state.refusals >= 2) and resetIn or 0
  local told = max(refusal.retryAfter or 0, byReset)
  local padded = byReset > 0 and told <= byReset + PAD and byReset + PAD or told + PAD
  local backoff = backoffFor(state.refusals, refusal.retryAfter ~= nil or finish ~= nil)
  state.hold = max(state.hold, now + max(padded, backoff))
  state.toldHold = max(state.toldHold, now + told)
  state.refusedAt = now
  toProbe(state, now)
end
`;
