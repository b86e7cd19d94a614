// Written by `npm run fleet:script` from src/fleet/script/entry.ts and src/fleet/rules. Do not edit.
/** The rules for Redis and Valkey, as one Lua script. KEYS[1]: the state of a key. ARGV[1]: the operation as JSON. */
export const script = `local function __TS__ObjectAssign(target, ...) local sources = {...} for i = 1, #sources do local source = sources[i] if type(source) == "table" then
for key in pairs(source) do target[key] = source[key] end end end return target end local function __TS__Number(value) local valueType = type(value)
if valueType == "number" then return value elseif valueType == "string" then local numberValue = tonumber(value) if numberValue then return
numberValue end if value == "Infinity" then return math.huge end if value == "-Infinity" then return -math.huge end local stringWithoutSpaces =
string.gsub(value, "%s", "") if stringWithoutSpaces == "" then return 0 end return 0 / 0 elseif valueType == "boolean" then return value and 1 or 0
else return 0 / 0 end end local function __TS__ArrayFilter(self, callbackfn, thisArg) local result = {} local len = 0 for i = 1, #self do if
callbackfn(thisArg, self[i], i - 1, self) then len = len + 1 result[len] = self[i] end end return result end local holdAfter429, resetCounts,
holdBackoff, isAlone, shareOf, roomForOthers, inFlightBound, publishedPerDay, isDayNearlySpent, createMember, noOthers, held, sweep, addUp, expire,
assumeSent, spend, addToLog, requestsInMinute, declare, leave, reachedAt, isRolling, isOnlyUser, toProbe, endProbe, extendHold, learnClock,
countRequests, learnWindow, learnWithoutHeaders, unseenSince, movedBy, beginWindow, countInWindow, acceptWindow, learnRateLimited, hold,
isDayNearlyExhausted, inFlightTotal, inFlightCap, leaseForNeed, give, later, reply, requestOf, allot, allowanceOf, keptForHigh, keptUntil, grant,
aheadFor, sendAway, untilReset, probe, rttOr, soon, afterProbe, turnAfter, nextOfRollingMinute, wasSet, sync, hasLostState, restAWhile, now,
publishedPlans function holdAfter429(response, count) local ____response_0 = response local retryAfter = ____response_0.retryAfter local reset =
____response_0.reset local untilReset = resetCounts(response, count) and math.max(reset and reset.wait or 0, 0) or 0 local stated =
math.max(retryAfter or 0, untilReset) local hasHint = retryAfter ~= nil or reset ~= nil local wait = math.max( stated, holdBackoff(hasHint, count) )
local isRoundedReset = untilReset > 0 and stated <= untilReset + 1000 return { stated = stated, wait = wait, padded = math.max(wait, (isRoundedReset
and untilReset or stated) + 1000) } end function resetCounts(response, count) local ____response_3 = response local retryAfter =
____response_3.retryAfter local reset = ____response_3.reset local exhausted = ____response_3.exhausted if retryAfter == nil or count >= 2 then return
true end local isNear = reset ~= nil and reset.wait <= 120000 return exhausted and isNear and not reset.estimated end function holdBackoff(hasHint,
count) if not hasHint then return math.min( 15000 * 4 ^ math.max(0, count - 1), 900000 ) end return count <= 1 and 0 or math.min(1000 * 2 ^ count,
60000) end function isAlone(usage) local ____usage_4 = usage local own = ____usage_4.own local others = ____usage_4.others local ownNow =
____usage_4.ownNow local othersNow = ____usage_4.othersNow return others <= (own + ownNow) / 10 and othersNow <= 1 + ownNow / 20 end function
shareOf(usage) local ours = usage.own + usage.ownNow + 1 return ours / (ours + usage.others + usage.othersNow) end function roomForOthers(usage,
limit) local each = (usage.others + usage.othersNow) / (usage.own + usage.ownNow + 1) return math.max( 0, math.min( math.ceil(each - 0.25), 8,
math.floor(limit / 20) ) ) end function inFlightBound(limit, rtt, alone) local byLimit = alone and math.floor(limit / 15) or 0 local byPace =
math.ceil(2 * limit * rtt / 60000) return math.min( 256, math.max(4, byLimit, byPace) ) end function publishedPerDay(limit) for ____, plan in
ipairs(publishedPlans) do if plan.perMinute == limit then return plan.perDay end end return nil end function isDayNearlySpent(count, perDay, limit)
return perDay ~= nil and count >= perDay - math.max(0.1 * perDay, limit) end function createMember(now) return { sequence = 0, seenAt = now, unsent =
0, unsentEnd = 0, inFlight = 0, inFlightEnd = 0, total = 0, assumed = {}, want = 0, wantUntil = -1000000000000, promised = 0, ahead = 0, rate = 0,
highAt = -1000000000000 } end function noOthers() return { count = 0, before = 0, out = 0, unsent = 0, holders = 0, away = 0, waiting = 0, wants = 0,
promised = 0, ahead = 0, idleAhead = 0, rate = 0, high = false, highRate = 0 } end function held(member) return member.unsent + member.inFlight end
function sweep(state, ____self, now) local others = noOthers() for id in pairs(state.members) do local member = state.members[id] if id ~= ____self
then expire(state, member, now) local isSilent = now - member.seenAt > 150000 and member.wantUntil < now if held(member) == 0 and isSilent then
state.members[id] = nil else addUp( others, state, member, id < ____self, now ) end end end return others end function addUp(others, state, member,
isBefore, now) others.count = others.count + 1 if isBefore then others.before = others.before + 1 end others.out = others.out + held(member)
others.unsent = others.unsent + member.unsent if held(member) > 0 then others.holders = others.holders + 1 end if now < state.outageUntil and
member.seenAt < state.outageAt then others.away = others.away + 1 end if member.want > 0 and member.wantUntil >= now then others.waiting =
others.waiting + 1 others.wants = others.wants + member.want others.promised = others.promised + member.promised end local quietFor = now -
member.seenAt if member.unsent > 0 then others.ahead = others.ahead + member.ahead end if member.unsent > 0 and quietFor > 5000 then others.idleAhead
= others.idleAhead + member.ahead end if quietFor < 60000 then others.rate = others.rate + member.rate end if now - member.highAt < 2 * 60000 then
others.high = true others.highRate = others.highRate + member.rate end end function expire(state, member, now) if member.inFlight > 0 and now >=
member.inFlightEnd + 3000 then assumeSent(state, member, member.inFlight, member.inFlightEnd) member.inFlight = 0 end if member.unsent > 0 and now >=
member.unsentEnd + 3000 then assumeSent(state, member, member.unsent, member.unsentEnd) member.unsent = 0 end end function assumeSent(state, member,
count, ____end) if ____end >= state.remainingAt then spend(state, count) end if ____end >= state.baseAt then state.consumed = state.consumed + count
state.ownNow = state.ownNow + count end local second = math.floor((____end + 500) / 1000) addToLog(state, second, count) local ____member_assumed_5 =
member.assumed ____member_assumed_5[#____member_assumed_5 + 1] = {second, count} end function spend(state, count) if state.remaining > 0 then
state.remaining = math.max(0, state.remaining - count) end end function addToLog(state, second, count) state.log[second] = (state.log[second] or 0) +
count end function requestsInMinute(state, moment) local spent = 0 for second in pairs(state.log) do if __TS__Number(second) * 1000 >= moment - 61100
then spent = spent + state.log[second] end end return spent end function declare(state, operation, now) local known = state.members[operation.member]
local member = known or createMember(now) state.members[operation.member] = member member.sequence = operation.sequence member.seenAt = now
member.unsent = operation.unsent if member.unsent == 0 then member.unsentEnd = 0 elseif known == nil then member.unsentEnd = now + 65000 end
member.inFlight = operation.inFlight member.inFlightEnd = now + math.max(4 * state.rtt, 2000) member.rate = operation.rate if operation.high > 0 then
member.highAt = now end return member end function leave(state, id, member) if member.inFlight == 0 then state.members[id] = nil end member.unsent = 0
member.seenAt = -1000000000000 member.wantUntil = -1000000000000 member.highAt = -1000000000000 end function reachedAt(state, instant, low) if low ==
nil then low = state.serviceLow or state.resetLow end if instant == 0 or low == nil then return nil end local reached = instant - low local ____temp_6
if reached - state.newest > 90000000 then ____temp_6 = nil else ____temp_6 = reached end return ____temp_6 end function isRolling(state, now) return
now - state.rollingAt < 600000 end function isOnlyUser(state) return state.answered >= 8 and isAlone(state) end function toProbe(state, now)
state.mode = "PROBE" state.probeFrom = now state.remaining = -1 state.blind = 1 endProbe(state) end function endProbe(state) state.prober = ""
state.probeUntil = -1000000000000 end function extendHold(state, ____end, more) state.holdEndsAt = math.max(state.holdEndsAt, ____end) state.resumeAt
= math.max(state.resumeAt, ____end + more) end function learnClock(state, operation, now) local ____temp_7 = operation.observation or ({}) local limit
= ____temp_7.limit if limit == nil then limit = 0 end local reset = ____temp_7.reset if reset == nil then reset = 0 end local byReset = reset - 60000
- now if reset > 0 and (state.limit == 0 or limit <= state.limit) then state.resetLow = math.max(state.resetLow or byReset, byReset) end if
operation.clock == nil then return end local ____operation_clock_8 = operation.clock local low = ____operation_clock_8.low local high =
____operation_clock_8.high local slack = (now - state.clockAt) * 0.0001 local knownLow = (state.serviceLow or low) - slack local knownHigh =
(state.serviceHigh or high) + slack local contradicts = low > knownHigh or high < knownLow state.serviceLow = contradicts and low or
math.max(knownLow, low) state.serviceHigh = contradicts and high or math.min(knownHigh, high) state.clockAt = now end function countRequests(state,
operation, member, isNew, now) if operation.rtt > 0 then state.rtt = state.rtt + (state.rtt == 0 and 1 or 0.2) * (operation.rtt - state.rtt) end local
successes = isNew and operation.successes or operation.total - member.total member.total = operation.total local day = math.floor(now / 86400000)
state.dayCount = (day == state.day and state.dayCount or 0) + successes state.day = day state.answered = state.answered + successes state.recent =
state.recent * 2 ^ (-(now - state.recentAt) / 30000) + successes state.recentAt = now local second = math.floor(now / 1000) for ____, ____value in
ipairs(member.assumed) do local assumed = ____value[1] local count = ____value[2] local logged = state.log[assumed] if logged ~= nil then
state.log[assumed] = math.max(0, logged - count) end end member.assumed = {} for ____, ____value in ipairs(operation.times) do local spent =
____value[1] local count = ____value[2] addToLog( state, math.min(spent, second), count ) end local forgotten = successes - operation.successes if
forgotten > 0 then addToLog(state, second, forgotten) end if operation.lost > 0 then addToLog(state, second, operation.lost) state.lost =
__TS__ArrayFilter( state.lost, function(____, ____bindingPattern0) local at at = ____bindingPattern0[1] return at > now - 60000 end ) local
____state_lost_9 = state.lost ____state_lost_9[#____state_lost_9 + 1] = {now, operation.lost} state.consumed = state.consumed + operation.lost
spend(state, operation.lost) end for old in pairs(state.log) do if __TS__Number(old) * 1000 < now - 65000 then state.log[old] = nil end end return
successes end function learnWindow(report, seen) local ____report_10 = report local state = ____report_10.state local operation =
____report_10.operation local now = ____report_10.now local successes = ____report_10.successes local opens = state.mode ~= "OPEN" and now >=
state.resumeAt and (state.mode == "COLD" or state.prober == operation.member and operation.probeDone or seen.sentAt >= state.resumeAt and seen.sentAt
>= state.probeFrom) if seen.remaining == nil or seen.limit == nil then learnWithoutHeaders(state, successes) if opens then state.mode = "OPEN" end
return end local ____seen_11 = seen local limit = ____seen_11.limit local reset = ____seen_11.reset if reset == nil then reset = 0 end local sentAt =
____seen_11.sentAt local remaining = math.max( 0, seen.remaining - unseenSince(state, sentAt) ) local inOrder = sentAt > state.acceptedAt local same =
limit == state.windowLimit local comparable = same and reset > 0 and state.reset > 0 if comparable and reset < state.reset - 1000 and not inOrder then
state.own = state.own + successes return end local ____comparable_12 if comparable then ____comparable_12 = math.abs(reset - state.reset) > 1000 else
____comparable_12 = inOrder and remaining > state.remaining end local isOther = ____comparable_12 local fresh = not same or isOther if comparable and
movedBy(state, reset, fresh) < 50000 then state.rollingAt = now end if opens or fresh and remaining >= state.remaining then beginWindow(report,
remaining, seen) else countInWindow(report, seen.remaining, sentAt) end acceptWindow( state, limit, (fresh or opens) and reset or
math.max(state.reset, reset), now ) if state.mode ~= "OPEN" and not opens then return end if opens or fresh or state.remaining < 0 or remaining <
state.remaining or inOrder then state.remaining = remaining state.remainingAt = sentAt end state.mode = "OPEN" if sentAt > state.rateLimitedAt then
state.rateLimitedCount = 0 end end function learnWithoutHeaders(state, successes) state.ownNow = state.ownNow + successes state.consumed =
state.consumed + successes if state.remaining >= 0 then return spend(state, successes) end state.blind = state.blind + successes if state.limit > 0
then state.blind = math.min(state.blind, state.limit) end end function unseenSince(state, sentAt) local count = 0 for id in pairs(state.members) do
for ____, ____value in ipairs(state.members[id].assumed) do local second = ____value[1] local spent = ____value[2] if second * 1000 + 1000 > sentAt
then count = count + spent end end end for ____, ____value in ipairs(state.lost) do local at = ____value[1] local lost = ____value[2] if at >= sentAt
then count = count + lost end end return count end function movedBy(state, reset, fresh) if fresh then return math.abs(reset - state.reset) end return
reset - state.firstReset > 1500 and reset - state.firstReset or 50000 end function beginWindow(report, remaining, ____bindingPattern0) local reset
local sentAt sentAt = ____bindingPattern0.sentAt reset = ____bindingPattern0.reset if reset == nil then reset = 0 end local ____report_13 = report
local state = ____report_13.state local now = ____report_13.now local successes = ____report_13.successes local decay = 2 ^ (-(now - state.foldedAt) /
60000) state.own = (state.own + state.ownNow + successes) * decay state.others = (state.others + state.othersNow) * decay state.ownNow = 0
state.othersNow = 0 state.base = remaining state.baseAt = sentAt state.consumed = 0 state.foldedAt = now state.firstReset = reset end function
countInWindow(report, remaining, sentAt) local ____report_14 = report local state = ____report_14.state local operation = ____report_14.operation
local now = ____report_14.now local successes = ____report_14.successes local out = ____report_14.out local inWindow = math.max(0, successes -
operation.successes) for ____, ____value in ipairs(operation.times) do local second = ____value[1] local count = ____value[2] if math.min(second *
1000, now) + 1000 > state.baseAt then inWindow = inWindow + count end end state.ownNow = state.ownNow + successes state.consumed = state.consumed +
inWindow if not isRolling(state, now) then state.othersNow = math.max(state.othersNow, state.base - remaining - state.ownNow - out) elseif sentAt >
now - 2000 then local unexplained = state.limit - requestsInMinute(state, sentAt) - out - remaining state.othersNow = math.max(0, unexplained) end end
function acceptWindow(state, limit, reset, now) state.windowLimit = limit state.reset = reset state.acceptedAt = now if (reachedAt(state, reset) or 0)
- now > 65000 and state.limit > 0 then state.limit = math.min(limit, state.limit) state.rollingAt = -1000000000000 else state.limit = limit end end
function learnRateLimited(state, limited, now) local ____limited_15 = limited local status = ____limited_15.status local limit = ____limited_15.limit
local reset = ____limited_15.reset local retryAfter = ____limited_15.retryAfter local exhausted = ____limited_15.exhausted local sentAt =
____limited_15.sentAt if status == 503 then local wait = math.min(retryAfter or 0, 60000) hold( state, now, wait, wait, 1000 ) return end if status ==
429 and limit ~= nil and reset ~= nil then state.windowLimit = limit state.reset = reset state.acceptedAt = now end if sentAt > state.rateLimitedAt
then state.rateLimitedCount = state.rateLimitedCount + 1 if status == 429 and state.mode == "OPEN" then if isRolling(state, now) then state.logWrongAt
= now end state.others = state.others + (state.own + state.ownNow + 1) end end state.rateLimitedAt = now local isUnknown = state.serviceLow == nil and
retryAfter == nil local isFar = isUnknown and state.rateLimitedCount > 2 local ____end = reachedAt(state, reset or 0, isFar and 0 or nil) local
isPlausible = ____end ~= nil and ____end - now >= -65000 local placed = isPlausible and ({wait = ____end - now, estimated = false}) or nil local
response = {retryAfter = retryAfter, reset = placed, exhausted = exhausted} local ____holdAfter429_result_16 = holdAfter429(response,
state.rateLimitedCount) local stated = ____holdAfter429_result_16.stated local wait = ____holdAfter429_result_16.wait local padded =
____holdAfter429_result_16.padded hold( state, now, stated, wait, padded - wait ) end function hold(state, now, stated, wait, more) extendHold(state,
now + wait, more) state.serverHoldUntil = math.max(state.serverHoldUntil, now + stated) toProbe(state, now) end function isDayNearlyExhausted(state)
local perDay = state.perDay > 0 and state.perDay or publishedPerDay(state.limit) return isDayNearlySpent(state.dayCount, perDay, state.limit) end
function inFlightTotal(state) if state.reset == 0 or isDayNearlyExhausted(state) then return 4 end return inFlightBound( state.limit, state.rtt,
isOnlyUser(state) ) end function inFlightCap(request) return math.max( 1, math.floor(inFlightTotal(request.state) / (request.others.holders + 1) +
0.5) ) end function leaseForNeed(state, count, cap) return 3000 + 1.5 * count * state.rtt / cap end function give(request, decision, count, leaseFor)
local ____request_17 = request local operation = ____request_17.operation local member = ____request_17.member local now = ____request_17.now
member.unsent = member.unsent + count member.unsentEnd = math.max(member.unsentEnd, now + leaseFor) member.want = 0 member.promised = 0 member.ahead =
math.max(0, count - operation.need) local answer = reply(request, decision) answer.granted = count answer.leaseFor = leaseFor return answer end
function later(request, decision, retryAt) local ____request_18 = request local operation = ____request_18.operation local member =
____request_18.member member.want = operation.need member.wantUntil = retryAt + 2000 member.promised = 0 local answer = reply(request, decision)
answer.retryAt = retryAt return answer end function reply(request, decision) local ____request_19 = request local state = ____request_19.state local
others = ____request_19.others local now = ____request_19.now local sure = ____request_19.sure local rolling = ____request_19.rolling local scarce =
____request_19.scarce local members = others.count + 1 return { decision = decision, now = now, generation = state.generation, members = members, rank
= others.before, leases = others.holders, unsent = others.unsent, inFlight = others.out - others.unsent, limit = state.limit, remaining =
state.remaining, granted = 0, leaseFor = 0, probe = false, inFlightCap = inFlightCap(request), resumeAt = state.resumeAt, holdEndsAt =
state.holdEndsAt, serverHoldUntil = state.serverHoldUntil, retryAt = 0, ["repeat"] = false, resetAt = reachedAt(state, state.reset) or 0, prompt = not
sure, returnAfter = scarce and 8000 or 0, eager = scarce and (rolling or state.limit < 4 * members) } end function requestOf(state, operation, member,
others, now) return { state = state, operation = operation, member = member, others = others, now = now, sure = isOnlyUser(state) and now >=
state.carefulUntil, rolling = isRolling(state, now), scarce = state.scarceAt > now - 1.5 * 60000 or state.recent * 2 * 0.6931471805599453 > 0.7 *
state.limit } end function allot(request) local ____request_20 = request local state = ____request_20.state local operation = ____request_20.operation
local member = ____request_20.member local now = ____request_20.now if operation.need <= 0 then member.want = 0 return reply(request, "report") end if
now < state.resumeAt then return later( request, "hold", turnAfter(state, state.resumeAt) ) end if state.mode ~= "OPEN" then local isTaken =
state.prober ~= operation.member and now < state.probeUntil if isTaken then return later( request, "probing", afterProbe(state, now) ) end return
held(member) > 0 and later( request, "out", soon(state, now) ) or probe(request) end local allowance = allowanceOf(request) return allowance.free > 0
and grant(request, allowance) or sendAway(request, allowance) end function allowanceOf(____bindingPattern0) local rolling local sure local now local
others local member local operation local state state = ____bindingPattern0.state operation = ____bindingPattern0.operation member =
____bindingPattern0.member others = ____bindingPattern0.others now = ____bindingPattern0.now sure = ____bindingPattern0.sure rolling =
____bindingPattern0.rolling local awayShares = others.away * math.ceil(state.limit / (others.count + 1)) local out = others.out + held(member) +
awayShares if state.remaining < 0 then local free = state.blind - out return {left = free, free = free, reserved = 0, byLog = false} end local room =
roomForOthers(state, state.limit) local countedFrom = state.lostAt + 65000 local byLog = sure and rolling and now - state.logWrongAt > 3600000 and now
- 61100 > countedFrom local left = state.remaining - out if sure and not rolling and state.baseAt > countedFrom then left = math.max( left,
math.min(state.remaining, state.base - state.consumed - out) ) end if byLog then left = math.max( left, state.limit - requestsInMinute(state, now) -
out ) end left = left - room local free = left if not sure then local part = math.floor((state.remaining - room) * math.min( 0.125, shareOf(state) / 2
)) free = math.min( left, math.min( math.max(1, part), inFlightTotal(state) ) - out ) if free <= 0 and left > 0 and now >= state.trickleAt then free =
1 end end if isDayNearlyExhausted(state) then free = math.min(free, 4 - out) end local kept = keptForHigh(state, others, rolling, now) local reserved
= kept + awayShares local forNormal = math.min(free, left - kept) if operation.high == 0 then return {left = left - kept, free = forNormal, reserved =
reserved, byLog = byLog} end return { left = left, free = math.max( math.min(free, operation.high), forNormal ), reserved = reserved, byLog = byLog }
end function keptForHigh(state, others, rolling, now) local time = rolling and 10000 or math.min( 60000, keptUntil(state, now) - now ) if not
others.high or time <= 0 then return 0 end local expected = others.highRate * time local wanted = math.ceil(expected + 2 * math.sqrt(expected)) + 1
return math.min( math.floor(state.limit / 2), math.max( wanted, math.ceil(state.limit / 20) ) ) end function keptUntil(state, now) return
(reachedAt(state, state.reset) or now) - 500 end function grant(request, ____bindingPattern0) local free free = ____bindingPattern0.free local
____request_21 = request local state = ____request_21.state local operation = ____request_21.operation local member = ____request_21.member local
others = ____request_21.others local now = ____request_21.now local sure = ____request_21.sure local scarce = ____request_21.scarce if not sure then
state.trickleAt = soon(state, now) end local promised = member.wantUntil > now and member.promised or 0 local fairPart = math.floor(free /
(others.waiting + 1)) local most = math.max(1, fairPart, free - others.wants, promised) local needed = math.min(operation.need, free, most) local
steady = math.ceil(operation.rate * (scarce and 30000 or 60000)) - 1 local mayPrefetch = sure and needed == operation.need and not
isDayNearlyExhausted(state) local ahead = mayPrefetch and aheadFor(request, free - needed - others.wants, steady) or 0 local count = needed + ahead if
ahead > 0 and ahead <= steady then return give(request, "grant", count, scarce and 40000 or 65000) end local lease = leaseForNeed( state, count,
inFlightCap(request) ) local answer = give(request, "grant", count, lease) answer.returnAfter = 2000 return answer end function
aheadFor(____bindingPattern0, spare, steady) local scarce local others local operation local state state = ____bindingPattern0.state operation =
____bindingPattern0.operation others = ____bindingPattern0.others scarce = ____bindingPattern0.scarce local members = others.count + 1 if state.limit
< 4 * members then return 0 end local quick = operation.need <= operation.lastLease and 2 * operation.lastLease or 0 local rates = others.rate +
operation.rate local part = math.max(rates > 0 and operation.rate / rates or 0, quick > 0 and 1 / members or 0) local most = math.floor(state.limit *
math.min(0.8, state.limit / members / 40)) - others.ahead local bySpare = math.floor(spare * (scarce and part or math.max(part, 0.25))) return
math.max( 0, math.min( most, math.max(steady, quick), bySpare ) ) end function sendAway(request, ____bindingPattern0) local byLog local reserved local
left left = ____bindingPattern0.left reserved = ____bindingPattern0.reserved byLog = ____bindingPattern0.byLog local ____request_22 = request local
state = ____request_22.state local operation = ____request_22.operation local member = ____request_22.member local others = ____request_22.others
local now = ____request_22.now state.scarceAt = now if left > 0 then local pause = math.max( 30, rttOr(state, 100) ) * math.min(20, 2 ^
operation.repeats) local answer = later(request, "careful", now + pause) answer["repeat"] = true return answer end local resetAt = reachedAt(state,
state.reset) if resetAt == nil then if others.out + held(member) > 0 then return later( request, "out", soon(state, now) ) end extendHold(state, now +
15000, 1000) toProbe(state, now) return later( request, "unknown", turnAfter(state, state.resumeAt) ) end local open = resetAt + 1000 if byLog then
return nextOfRollingMinute(request, left, open) end if now < open then return untilReset(request, left + reserved, open) end if held(member) > 0 then
return later( request, "out", soon(state, now) ) end toProbe(state, now) return probe(request) end function untilReset(request, kept, open) local
____request_23 = request local state = ____request_23.state local others = ____request_23.others local now = ____request_23.now local release =
keptUntil(state, now) if now < release and kept > 0 then return later( request, "idle", math.min( release, now + math.max(2000, (release - now) / 8) )
) end if others.idleAhead > 0 and open - now > 6000 then return later( request, "idle", now + math.max(4000, (open - now) / 3) ) end return later(
request, "exhausted", turnAfter(state, open) ) end function probe(request) local ____request_24 = request local state = ____request_24.state local
operation = ____request_24.operation local now = ____request_24.now state.prober = operation.member state.probeAt = now local timeout = state.rtt == 0
and 10000 or math.max(2000, 4 * state.rtt) state.probeUntil = now + timeout local answer = give( request, "probe", 1, leaseForNeed(state, 1, 1) )
answer.probe = true answer.prompt = true answer.inFlightCap = 1 return answer end function rttOr(state, guess) return state.rtt > 0 and state.rtt or
guess end function soon(state, now) return now + math.max(50, state.rtt) end function afterProbe(state, now) local rtt = rttOr(state, 120) return
math.max( state.probeAt + 1.3 * rtt, now + math.max(40, 0.5 * rtt) ) end function turnAfter(state, moment) if math.abs(state.deniedFor - moment) >
2000 then state.deniedFor = moment state.deniedCount = 0 end state.deniedCount = state.deniedCount + 1 return state.deniedCount == 1 and moment or
moment + 2 * state.rtt + 50 end function nextOfRollingMinute(request, left, open) local ____request_25 = request local state = ____request_25.state
local operation = ____request_25.operation local member = ____request_25.member local others = ____request_25.others local now = ____request_25.now
local part = math.min( operation.need, math.max( 1, math.ceil(state.limit / 60) ) ) local missing = others.promised + part - left local when = now +
1000 local newest = math.floor(now / 1000) do local at = math.ceil((now - 61100) / 1000) while at <= newest do local spent = state.log[at] or 0
missing = missing - spent if spent > 0 then when = (at + 61) * 1000 + 110 end if missing <= 0 then break end at = at + 1 end end local byPace =
math.max(open, now) + others.promised / (state.limit / 60000) local answer = later( request, "rolls", math.max( now + 100, math.min(when, byPace) ) )
member.promised = part return answer end function wasSet(state, operation, time) local passed = time - state.newest return passed <= -60000 or passed
>= operation.acknowledgedAgo + 60000 end function sync(state, operation, now) local known = state.members[operation.member] if known ~= nil and
operation.sequence <= known.sequence then local others = sweep(state, operation.member, now) return reply( requestOf( state, operation, known, others,
now ), "stale" ) end if operation.perDay ~= nil then state.perDay = operation.perDay end if hasLostState(state, operation, known) then
restAWhile(state, now) end if operation.aloneFor > 0 then state.outageAt = math.max(state.outageAt, now - operation.aloneFor) state.outageUntil = now
+ 61100 end local others = sweep(state, operation.member, now) local member = declare(state, operation, now) learnClock(state, operation, now) local
successes = countRequests( state, operation, member, known == nil, now ) local report = { state = state, operation = operation, now = now, successes =
successes, out = others.out + held(member) } if operation.observation == nil then state.ownNow = state.ownNow + successes else learnWindow(report,
operation.observation) end if operation.rateLimited ~= nil then learnRateLimited(state, operation.rateLimited, now) end local hasProbe = state.prober
== operation.member if hasProbe and (operation.probeDone or operation.leaves and operation.inFlight == 0) then endProbe(state) end local answer =
allot(requestOf( state, operation, member, others, now )) if operation.leaves then leave(state, operation.member, member) end return answer end
function hasLostState(state, operation, known) if operation.generation == "" then return false end if operation.generation ~= state.generation then
return true end local ____temp_26 if known == nil then ____temp_26 = operation.acknowledgedAgo < 100000 else ____temp_26 = known.sequence <
operation.acknowledged end return ____temp_26 end function restAWhile(state, now) if now - state.lostAt <= 30000 then return end state.lostAt = now
state.carefulUntil = now + 30000 extendHold(state, now + 5000, 0) toProbe(state, now) end function now() if ARGV[2] ~= nil then return
tonumber(ARGV[2]) end local seconds, microseconds = unpack( redis.call("TIME"), 1, 2 ) return tonumber(seconds) * 1000 +
math.floor(tonumber(microseconds) / 1000) end local plans = {free = {perMinute = 60, perDay = 1000}, pro = {perMinute = 300, perDay = 10000}, business
= {perMinute = 1000, perDay = 100000}, enterprise = "custom"} local headers = {limit = "X-RateLimit-Limit", remaining = "X-RateLimit-Remaining", reset
= "X-RateLimit-Reset", retryAfter = "Retry-After"} publishedPlans = {plans.free, plans.pro, plans.business} local function noWindow() return { limit =
0, windowLimit = 0, reset = 0, firstReset = 0, remaining = -1, remainingAt = -1000000000000, base = 0, baseAt = -1000000000000, consumed = 0,
acceptedAt = -1000000000000, rollingAt = -1000000000000, logWrongAt = -1000000000000 } end local function noHold() return { mode = "COLD", resumeAt =
-1000000000000, holdEndsAt = -1000000000000, serverHoldUntil = -1000000000000, rateLimitedCount = 0, rateLimitedAt = -1000000000000, prober = "",
probeFrom = -1000000000000, probeAt = -1000000000000, probeUntil = -1000000000000, outageAt = -1000000000000, outageUntil = -1000000000000, lostAt =
-1000000000000, carefulUntil = -1000000000000, scarceAt = -1000000000000, trickleAt = -1000000000000, deniedFor = -1000000000000, deniedCount = 0 }
end local function noTraffic() return { own = 0, others = 0, ownNow = 0, othersNow = 0, answered = 0, recent = 0, rtt = 0, blind = 1, day = 0,
dayCount = 0, perDay = 0 } end local function createState(generation, now) return __TS__ObjectAssign( {}, noWindow(), noHold(), noTraffic(), {
generation = generation, newest = now, foldedAt = now, recentAt = now, serviceLow = nil, serviceHigh = nil, clockAt = now, resetLow = nil, log = {},
lost = {}, members = {} } ) end local function applyOperation(known, operation, time) local isUsable = known ~= nil and not wasSet(known, operation,
time) local state = isUsable and known or createState(operation.newGeneration, time) state.newest = math.max(time, state.newest) return { state =
state, reply = sync(state, operation, state.newest) } end local function run() local packed = redis.call("GET", KEYS[1]) local ____temp_27 if packed
== false then ____temp_27 = nil else ____temp_27 = cmsgpack.unpack(packed) end local known = ____temp_27 local applied = applyOperation( known,
cjson.decode(ARGV[1]), now() ) redis.call( "SET", KEYS[1], cmsgpack.pack(applied.state), "PX", 90000000 ) return cjson.encode(applied.reply) end
return run()
`;

/** By this name a server that has loaded the script knows it. */
export const sha1 = 'd5097f231543d553e7d4cc6ad40e7b859876e9f8';
