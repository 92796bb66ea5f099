-- CarPlay sessions in captures: the control connection is known by its first request, the other sockets by the answers
-- to SETUP.

local cp_comment = Field.new("frame.comment")

local function cp_comments()
  local found = {}
  for _, comment in ipairs({ cp_comment() }) do table.insert(found, tostring(comment.value)) end
  return found
end

local function cp_ends(pinfo)
  return cp_end(tostring(pinfo.src), pinfo.src_port), cp_end(tostring(pinfo.dst), pinfo.dst_port)
end

-- Returns the record of a segment; nil for one that belongs to no session.
local function cp_record_of(tvb, pinfo)
  local key = table.concat({ pinfo.number, tvb:len(), tvb:offset() }, " ")
  local record = cp_records[key]
  if record or pinfo.visited then return record end
  local source, target = cp_ends(pinfo)
  local connection = cp_connection_of(source, target, tvb:raw())
  if not connection then return nil end
  local side = connection.client == source and schema.device or schema.accessory
  local items, rest, missing = cp_read(connection, side, tvb:raw(), pinfo.can_desegment > 0)
  record = { connection = connection, items = items, rest = rest, missing = missing, side = side }
  cp_records[key] = record
  return record
end

local function cp_dissect(tvb, pinfo, tree)
  if tvb:len() == 0 then return 0 end
  local record = cp_record_of(tvb, pinfo)
  if not record then return 0 end
  cp_links = 0
  if record.missing and pinfo.can_desegment > 0 then
    pinfo.desegment_offset = record.rest
    pinfo.desegment_len = record.missing > 0 and record.missing or DESEGMENT_ONE_MORE_SEGMENT
  end
  if #record.items > 0 then
    cp_show(tree, tvb, pinfo, record.connection, record.side, record.items, cp_mark(cp_comments()))
  end
  return tvb:len()
end

function carplay.dissector(tvb, pinfo, tree) return cp_dissect(tvb, pinfo, tree) end

-- A call of the protocol's dissector would show bytes that it does not accept as data, and return their number.
carplay:register_heuristic("tcp", function(tvb, pinfo, tree)
  if cp_dissect(tvb, pinfo, tree) == 0 then return false end
  pinfo.conversation = carplay
  return true
end)

-- Reads a datagram of a session, once.
local function cp_read_datagram(tvb, pinfo, role)
  local packet = { role = role }
  local data = tvb:raw()
  if role.kind == "clock" and #data == session_schema.clock_length and data:byte(1) == 0x80 then
    packet.kind = ({ [0xD2] = "question", [0xD3] = "answer" })[data:byte(2)]
    local questions = role.session.questions or {}
    role.session.questions = questions
    if packet.kind == "question" then
      questions[role.from] = pinfo.rel_ts
    elseif packet.kind == "answer" and questions[other_side(role.from)] then
      packet.delay = pinfo.rel_ts - questions[other_side(role.from)]
    end
  end
  return packet
end

-- The roles of the clocks of sessions whose set-up is sealed, by both ends.
local cp_sealed_clocks = {}

-- Returns the role of a datagram of the clock between the sides of a session whose set-up is sealed; nil for another one.
local function cp_sealed_clock(tvb, source, target)
  if tvb:len() ~= session_schema.clock_length then return nil end
  local start = tvb(0, 4):uint()
  if start ~= 0x80D20007 and start ~= 0x80D30007 then return nil end
  local known = cp_sealed_clocks[source .. " " .. target]
  if known then return known end
  local sender, receiver = cp_address(source), cp_address(target)
  for index = #cp_sessions, 1, -1 do
    local session = cp_sessions[index]
    local is_phone = session.phone == sender and session.head_unit == receiver
    if session.is_sealed and (is_phone or session.phone == receiver and session.head_unit == sender) then
      local back = cp_sealed_clocks[target .. " " .. source]
      local from = is_phone and schema.device or schema.accessory
      -- Sides on one machine have one address. The head unit asks for the time.
      if sender == receiver then
        from = back and other_side(back.from) or start == 0x80D20007 and schema.accessory or schema.device
      end
      local role = { kind = "clock", session = session, from = from }
      cp_sealed_clocks[source .. " " .. target] = role
      return role
    end
  end
end

carplay:register_heuristic("udp", function(tvb, pinfo, tree)
  local packet = cp_packets[pinfo.number]
  if not packet then
    local source, target = cp_ends(pinfo)
    local role = not pinfo.visited and (cp_receivers[target] or cp_sealed_clock(tvb, source, target))
    if not role then return false end
    packet = cp_read_datagram(tvb, pinfo, role)
    cp_packets[pinfo.number] = packet
  end
  cp_show_datagram(tree, tvb, pinfo, packet, cp_mark(cp_comments()))
  return true
end)

DissectorTable.get("tcp.port"):add_for_decode_as(carplay)

function carplay.init()
  cp_sessions, cp_connections, cp_listeners, cp_receivers, cp_records, cp_packets = {}, {}, {}, {}, {}, {}
  cp_sealed_clocks = {}
end
