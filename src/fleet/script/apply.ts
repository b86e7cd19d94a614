/** The part of the script with the functions of `rules/apply.ts`, and what reads and writes the state. */
export const applyScript = `
local function staleReply(state, now)
  local count = 0
  for _ in pairs(state.members) do count = count + 1 end
  return { kind = 'sync', stale = true, decision = 'report', now = now, generation = state.generation, members = count,
    rank = 0, limit = state.limit, granted = 0, leaseFor = 0, probe = false, inFlightCap = 1, left = -1,
    resumeAt = state.resumeAt, holdEndsAt = state.holdEndsAt,
    serverHoldUntil = state.serverHoldUntil, retryAt = 0, ['repeat'] = false, resetAt = 0, prompt = false,
    returnAfter = 0, eager = false }
end

local function usePlan(state, perMinute)
  state.limit = perMinute
  state.remaining = perMinute
  state.base = perMinute
  state.mode, state.planned = 'OPEN', true
end

local function hasLostState(state, operation, known)
  if operation.generation == '' then return false end
  if operation.generation ~= state.generation then return true end
  if not known then return operation.acknowledgedAgo < 100000 end
  return known.sequence < operation.acknowledged
end

local function rest(state, now)
  if now - state.lostAt <= CAREFUL then return end
  state.lostAt = now
  state.carefulUntil = now + CAREFUL
  extendHold(state, now + REST, 0)
  toProbe(state, now)
end

local function sync(state, operation, now)
  local known = state.members[operation.member]
  if known and operation.sequence <= known.sequence then return staleReply(state, now) end
  if operation.perMinute and state.mode == 'COLD' and state.windowLimit == 0 then usePlan(state, operation.perMinute) end
  if operation.perDay then state.perDay = operation.perDay end
  if hasLostState(state, operation, known) then rest(state, now) end
  if operation.aloneFor > 0 then
    state.outageAt, state.outageUntil = max(state.outageAt, now - operation.aloneFor), now + ROLLING_MINUTE
  end
  local others = sweep(state, operation.member, now)
  local member = declare(state, operation, now)
  learnClock(state, operation, now)
  local successes = countRequests(state, operation, member, not known, now)
  local out = others.out + held(member)
  if operation.observation then learnWindow(state, operation, operation.observation, successes, out, now)
  else state.ownNow = state.ownNow + successes end
  if operation.rateLimited then learnRateLimited(state, operation.rateLimited, now) end
  if state.prober == operation.member and operation.probeDone then
    state.prober, state.probeUntil = '', NEVER
  end
  return allot(state, operation, member, others, now)
end

local function peek(state, self, now)
  local others = sweep(state, self, now)
  local members, unsent = 0, 0
  for id, member in pairs(state.members) do
    members = members + 1
    if id ~= self then unsent = unsent + member.unsent end
  end
  return { kind = 'peek', now = now, members = members, leases = others.holders, unsent = unsent,
    inFlight = others.out - unsent, limit = state.limit, remaining = state.remaining,
    resetAt = reachedAt(state, state.reset) or 0, resumeAt = state.resumeAt }
end

local function leave(state, operation)
  local known = state.members[operation.member]
  if not known or operation.sequence <= known.sequence then return end
  state.members[operation.member] = nil
  if known.inFlight > 0 then
    local member = createMember(NEVER)
    member.sequence, member.total, member.assumed = operation.sequence, known.total, known.assumed
    member.inFlight, member.inFlightEnd = known.inFlight, known.inFlightEnd
    state.members[operation.member] = member
  end
  if state.prober == operation.member then
    state.prober, state.probeUntil = '', NEVER
  end
end

local operation = cjson.decode(ARGV[1])
local now
if ARGV[2] then now = tonumber(ARGV[2]) else
  local time = redis.call('TIME')
  now = time[1] * 1000 + floor(time[2] / 1000)
end
local packed = redis.call('GET', KEYS[1])
local state = packed and cmsgpack.unpack(packed) or createState(operation.newGeneration or '', now)
now = max(now, state.newest)
if operation.kind == 'peek' then return cjson.encode(peek(state, operation.member or '', now)) end
state.newest = now
local answer = { kind = 'leave' }
if operation.kind == 'sync' then answer = sync(state, operation, now)
else
  if not packed then return cjson.encode(answer) end
  leave(state, operation)
end
redis.call('SET', KEYS[1], cmsgpack.pack(state), 'PX', KEEP)
return cjson.encode(answer)
`;
