/** The part of the script with the functions of `rules/learn.ts`. */
export const learnScript = `
local function reachedAt(state, instant)
  local low = state.serviceLow or state.resetLow
  if instant == 0 or not low or instant - low - state.newest > LONGEST_PLAUSIBLE_WAIT then return nil end
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

local function countRequests(state, operation, member, isNew, now)
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
    local lost = { { now, operation.lost } }
    for _, entry in ipairs(state.lost) do
      if entry[1] > now - MINUTE then lost[#lost + 1] = entry end
    end
    state.lost = lost
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
  elseif state.remaining < 0 then
    state.blind = min(state.blind + successes, state.limit > 0 and state.limit or math.huge)
  end
end

local function unseenSince(state, sentAt)
  local count = 0
  for _, member in pairs(state.members) do
    for _, entry in ipairs(member.assumed) do
      if entry[1] * 1000 + 1000 > sentAt then count = count + entry[2] end
    end
  end
  for _, entry in ipairs(state.lost) do
    if entry[1] >= sentAt then count = count + entry[2] end
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
      state.othersNow = max(0, state.limit - requestsInMinute(state, sentAt) - out - seenRemaining)
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
  local opens = state.mode ~= 'OPEN' and now >= state.resumeAt and (state.mode == 'COLD'
    or (state.prober == operation.member and operation.probeDone)
    or (seen.sentAt >= state.resumeAt and seen.sentAt >= state.probeFrom))
  if not seen.remaining or not seen.limit then
    learnWithoutHeaders(state, successes)
    if opens then state.mode = 'OPEN' end
    return
  end
  local limit, reset, sentAt = seen.limit, seen.reset or 0, seen.sentAt
  local remaining = max(0, seen.remaining - unseenSince(state, sentAt))
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
  if sentAt > state.rateLimitedAt then state.rateLimitedCount = 0 end
end

local function extendHold(state, finish, pad)
  state.holdEndsAt = max(state.holdEndsAt, finish)
  state.resumeAt = max(state.resumeAt, finish + pad)
end

local function backoff(hasHint, count)
  if not hasHint then return min(BLIND_HOLD * 4 ^ max(0, count - 1), LONGEST_BLIND_HOLD) end
  return count <= 1 and 0 or min(1000 * 2 ^ count, LONGEST_BACKOFF)
end

local function learnRateLimited(state, limited, now)
  if limited.status == 503 then
    extendHold(state, now + (limited.retryAfter or 0), PAD)
    state.serverHoldUntil = max(state.serverHoldUntil, now + (limited.retryAfter or 0))
    return toProbe(state, now)
  end
  if limited.status == 429 and limited.limit and limited.reset then
    state.windowLimit, state.reset, state.acceptedAt = limited.limit, limited.reset, now
  end
  if limited.sentAt > state.rateLimitedAt then
    state.rateLimitedCount = state.rateLimitedCount + 1
    if limited.status == 429 and state.mode == 'OPEN' then
      if isRolling(state, now) then state.logWrongAt = now end
      state.others = state.others + state.own + state.ownNow + 1
    end
  end
  state.rateLimitedAt = now
  local finish = reachedAt(state, limited.reset or 0)
  if finish and finish - now < -LONGEST_PAST then finish = nil end
  local resetIn = finish and finish - now or 0
  local count, retryAfter = state.rateLimitedCount, limited.retryAfter
  local isNear = limited.exhausted and finish and resetIn <= FAR_RESET
  local untilReset = (not retryAfter or count >= 2 or isNear) and max(resetIn, 0) or 0
  local stated = max(retryAfter or 0, untilReset)
  local wait = max(stated, backoff(retryAfter ~= nil or finish ~= nil, count))
  local isRoundedReset = untilReset > 0 and stated <= untilReset + PAD
  local padded = max(wait, (isRoundedReset and untilReset or stated) + PAD)
  extendHold(state, now + wait, padded - wait)
  state.serverHoldUntil = max(state.serverHoldUntil, now + stated)
  toProbe(state, now)
end
`;
