/** The part of the script with the functions of `rules/state.ts` and `rules/members.ts`. */
export const membersScript = `
local min, max, floor, ceil, abs = math.min, math.max, math.floor, math.ceil, math.abs
local NEVER = -1e12
local LN2 = 0.6931471805599453

local function createState(generation, now)
  return { generation = generation, newest = now, mode = 'COLD', limit = 0, windowLimit = 0, reset = 0, firstReset = 0,
    remaining = -1, remainingAt = NEVER, base = -1, baseAt = NEVER, consumed = 0, acceptedAt = NEVER, rollingAt = NEVER,
    log = {}, logWrongAt = NEVER, lost = {}, clockAt = now, resumeAt = NEVER, holdEndsAt = NEVER, serverHoldUntil = NEVER, rateLimitedCount = 0, rateLimitedAt = NEVER,
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

local function requestsInMinute(state, moment)
  local spent = 0
  for second, count in pairs(state.log) do
    if second * 1000 >= moment - ROLLING_MINUTE then spent = spent + count end
  end
  return spent
end

local function assumeSent(state, member, count, finish)
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
      assumeSent(state, member, member[kind], finish)
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
`;
