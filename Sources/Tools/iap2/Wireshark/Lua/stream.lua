-- The state of the streams. Each record is read once, in order. Its findings are kept, because Wireshark dissects again
-- in any order. A stream holds at most one incomplete packet and one incomplete message.

local conversations = {}
local records = {}

local function new_stream()
  return { pieces = {}, held = 0, wanted = 0, collected = "", seen = {} }
end

-- A stream and its conversation, by the names of both ends.
local function open_stream(place)
  local conversation = conversations[place.conversation]
  if not conversation then
    conversation = { streams = {}, side = {} }
    conversations[place.conversation] = conversation
  end
  local stream = conversation.streams[place.stream]
  if not stream then
    stream = new_stream()
    conversation.streams[place.stream] = stream
  end
  return conversation, stream
end

local function is_known(place)
  local conversation = conversations[place.conversation]
  return conversation ~= nil and conversation.streams[place.stream] ~= nil
end

local function other_side(side) return side == schema.accessory and schema.device or schema.accessory end

-- Returns the sender of this stream: from the capture, or inferred from the contents.
local function side_of(conversation, place)
  if place.side then return place.side end
  if conversation.side[place.stream] then return conversation.side[place.stream] end
  for _, side in pairs(conversation.side) do return other_side(side) end
end

local function learn_side(conversation, place, side)
  if not side_of(conversation, place) then conversation.side[place.stream] = side end
end

-- Returns false for a packet that was received before, within half of the number space.
local function is_new(stream, sequence)
  local ahead = stream.furthest and (sequence - stream.furthest) % 256 or 0
  local is_ahead = ahead >= 1 and ahead <= 127
  if is_ahead then
    for step = 1, ahead do stream.seen[(stream.furthest + step) % 256] = nil end
  end
  if is_ahead or not stream.furthest then stream.furthest = sequence end
  if stream.seen[sequence] then return false end
  stream.seen[sequence] = true
  return true
end

local function start_over(stream)
  stream.seen = {}
  stream.furthest = nil
  stream.collected = ""
end

local function has_bit(control, name)
  local mask = bit_mask[name]
  return control % (mask * 2) >= mask
end

-- Cuts messages out of the collected bytes and this payload. A message that is complete in this record's bytes is given
-- by its offset there, any other by its bytes.
local function cut_messages(conversation, stream, place, packet, payload)
  local first = #stream.collected > 0 and stream.collected_in or nil
  local before = #stream.collected
  local bytes = stream.collected .. payload
  local at = 0
  local function tell(kind, size)
    local part = { kind = kind }
    if at >= before then
      part.at = packet.at + header_size + at - before
      part.length = size
    else
      part.bytes = bytes:sub(at + 1, at + size)
      part.first_record = first
    end
    table.insert(packet.parts, part)
  end
  stream.collected = ""
  while at < #bytes do
    local left = #bytes - at
    if bytes:byte(at + 1) ~= 0x40 or (left > 1 and bytes:byte(at + 2) ~= 0x40) then
      return tell("stray", left)
    end
    local length = left >= schema.message_header_byte_count and u16_at(bytes, at + 2)
    if length and length < schema.message_header_byte_count then return tell("stray", left) end
    if not length or left < length then
      if at >= before then
        stream.collected_in = place.number
        tell("start", left)
      else
        stream.collected_in = first
        packet.continues = true
      end
      stream.collected = bytes:sub(at + 1)
      return
    end
    local known = schema.messages[u16_at(bytes, at + 4)]
    if known then learn_side(conversation, place, known.sender) end
    tell("message", length)
    at = at + length
  end
end

local function read_synchronization(conversation, stream, packet, payload)
  start_over(stream)
  local entries = #payload - schema.synchronization_byte_count
  packet.has_synchronization = entries >= 0 and entries % schema.session_byte_count == 0
    and entries / schema.session_byte_count <= 255
  if not packet.has_synchronization then return end
  conversation.sessions = {}
  for at = schema.synchronization_byte_count, #payload - 1, schema.session_byte_count do
    local id, type = byte_at(payload, at), byte_at(payload, at + 1)
    conversation.sessions[id] = conversation.sessions[id] or type
  end
end

-- Reads the contents of a complete packet.
local function read_packet(conversation, stream, place, packet, bytes)
  local control, sequence, _, session = bytes:byte(packet.at + 5, packet.at + 8)
  local payload = bytes:sub(packet.at + header_size + 1, packet.at + packet.length - 1)
  if has_bit(control, "SYN") then
    learn_side(conversation, place, has_bit(control, "ACK") and schema.device or schema.accessory)
    return read_synchronization(conversation, stream, packet, payload)
  end
  if has_bit(control, "RST") then return start_over(stream) end
  if #payload == 0 then return end
  if has_bit(control, "EAK") then
    packet.is_missing_list = true
    return
  end
  if not is_new(stream, sequence) then
    packet.is_repeated = true
    return
  end
  if conversation.sessions then
    packet.session_type = conversation.sessions[session]
    packet.is_unagreed = packet.session_type == nil
  elseif #stream.collected > 0 or payload:sub(1, 2) == "@@" then
    packet.session_type = session_type.control
  end
  if packet.session_type == session_type.control then
    cut_messages(conversation, stream, place, packet, payload)
  end
end

-- Reads the units in the bytes one after another; an incomplete unit at the end is kept in the stream.
local function read_bytes(conversation, stream, place, bytes)
  local found = {}
  local at = 0
  local function add(kind, length, more)
    local item = more or {}
    item.kind, item.at, item.length = kind, at, length
    table.insert(found, item)
    return item
  end
  local function add_damage(text, length)
    local last = found[#found]
    if last and last.text == text and last.at + last.length == at then
      last.length = last.length + length
    else
      add("damage", length, { text = text })
    end
  end
  while true do
    local kind, size = scan(bytes, at)
    if kind == "end" then break end
    if kind == "incomplete" then
      add("fragment", #bytes - at)
      stream.pieces, stream.held, stream.wanted = { bytes:sub(at + 1) }, #bytes - at, size
      break
    end
    local step = size
    if kind == "packet" then
      local packet = add("packet", size, { header_is_right = true, payload_is_right = true, parts = {} })
      read_packet(conversation, stream, place, packet, bytes)
    elseif kind == "bad_payload" then
      add("packet", size, { header_is_right = true, payload_is_right = false, parts = {} })
      -- After a wrong length no unit follows, so packets may be inside.
      if not is_isolated(bytes, at, size) then step = header_size end
    elseif kind == "bad_header" and is_isolated(bytes, at, size) then
      local is_right = sum(bytes, at + header_size, size - header_size) == 0
      add("packet", size, { header_is_right = false, payload_is_right = is_right, parts = {} })
    elseif kind == "bad_header" or kind == "bad_length" then
      step = 1
      add_damage("bytes that are no packet", step)
    elseif kind == "garbage" then
      add_damage("bytes that are no packet", step)
    elseif kind == "legacy" then
      add_damage("iAP1 frame", step)
    else
      add(kind, step)
    end
    at = at + step
  end
  return found
end

-- Reads one record; returns the findings, and the earlier bytes that belong to it.
--
-- `is_stream` is true if another dissector reassembles packets, as TCP does.
local function read_record(place, bytes, is_stream)
  local conversation, stream = open_stream(place)
  if stream.held > 0 and stream.held + #bytes < stream.wanted then
    table.insert(stream.pieces, bytes)
    stream.held = stream.held + #bytes
    local waiting = { kind = "fragment", at = 0, length = #bytes }
    return { found = { waiting }, from = side_of(conversation, place), first_record = stream.held_in }
  end
  local prefix = table.concat(stream.pieces)
  local first = stream.held > 0 and stream.held_in or nil
  stream.pieces, stream.held, stream.wanted = {}, 0, 0
  local found = read_bytes(conversation, stream, place, prefix .. bytes)
  local record = { found = found, from = side_of(conversation, place), first_record = first }
  if #prefix > 0 then record.prefix = prefix end
  if stream.held > 0 then
    if is_stream then
      -- Before the length of a packet is known, TCP must not get a number that may be too small.
      record.wanted = stream.held < header_size and DESEGMENT_ONE_MORE_SEGMENT or stream.wanted - stream.held
      record.rest = stream.held
      stream.pieces, stream.held, stream.wanted = {}, 0, 0
      table.remove(found)
    elseif stream.held <= #bytes then
      stream.held_in = place.number
    end
  end
  return record
end

-- Forgets a packet that cannot be completed, because some of its bytes were not captured.
local function break_stream(place)
  local _, stream = open_stream(place)
  stream.pieces, stream.held, stream.wanted = {}, 0, 0
end

function iap2.init()
  conversations = {}
  records = {}
end
