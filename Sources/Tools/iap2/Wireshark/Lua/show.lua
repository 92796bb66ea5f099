-- A record in Wireshark's tree and columns.

local function show_messages(tree, bytes, packet, said)
  for _, part in ipairs(packet.parts) do
    local from, at, length = bytes, part.at, part.length
    if part.bytes then
      from, at, length = ByteArray.new(part.bytes, true):tvb("Reassembled iAP2 message"), 0, #part.bytes
    end
    if part.first_record then
      tree:add(field.first_record, part.first_record):set_generated()
    end
    if part.kind == "message" then
      table.insert(said, show_message(tree, from, at, length))
    elseif part.kind == "start" then
      tree:add(field.message_fragment, from(at, length))
      table.insert(said, "start of a message")
    else
      tree:add(field.undecoded, from(at, length)):add_proto_expert_info(
        expert.undecoded, "Bytes of the control session that are no message")
      table.insert(said, "no message")
    end
  end
end

local function show_synchronization(tree, bytes, at, size, packet)
  if not packet.has_synchronization then
    tree:add(field.undecoded, bytes(at, size)):add_proto_expert_info(
      expert.undecoded, "Synchronization payload that is not ten bytes and whole session entries")
    return
  end
  local item = tree:add(field.syn, bytes(at, size))
  item:add(field.syn_version, bytes(at, 1))
  item:add(field.syn_max_outstanding, bytes(at + 1, 1))
  item:add(field.syn_max_length, bytes(at + 2, 2))
  item:add(field.syn_retransmission, bytes(at + 4, 2))
  item:add(field.syn_cumulative_ack, bytes(at + 6, 2))
  item:add(field.syn_max_retransmissions, bytes(at + 8, 1))
  item:add(field.syn_max_acks, bytes(at + 9, 1))
  for place = at + schema.synchronization_byte_count, at + size - 1, schema.session_byte_count do
    local entry = item:add(field.syn_session, bytes(place, schema.session_byte_count))
    entry:add(field.syn_session_id, bytes(place, 1))
    entry:add(field.syn_session_type, bytes(place + 1, 1))
    entry:add(field.syn_session_version, bytes(place + 2, 1))
    local type = bytes(place + 1, 1):uint()
    local name = schema.session_types[type] or "type " .. type
    entry:set_text(string.format("Session %d: %s", bytes(place, 1):uint(), name))
  end
end

-- External accessory and file transfer: a prefix of two bytes, then data.
local function show_datagram(tree, bytes, at, size, packet, said)
  if size < 2 then
    tree:add(field.undecoded, bytes(at, size)):add_proto_expert_info(
      expert.undecoded, "Datagram shorter than its prefix")
    return
  end
  if packet.session_type == session_type.externalAccessory then
    tree:add(field.ea_session, bytes(at, 2))
    tree:add(field.ea_data, bytes(at + 2, size - 2))
    table.insert(said, string.format("external accessory session %d: %d bytes", bytes(at, 2):uint(), size - 2))
  else
    tree:add(field.file_id, bytes(at, 1))
    tree:add(field.file_operation, bytes(at + 1, 1))
    tree:add(field.file_data, bytes(at + 2, size - 2))
    local operation = bytes(at + 1, 1):uint()
    local name = schema.file_operations[operation] or string.format("operation 0x%02X", operation)
    table.insert(said, string.format("file %d %s: %d bytes", bytes(at, 1):uint(), name, size - 2))
  end
end

local function show_payload(tree, bytes, packet, said)
  local at = packet.at + header_size
  local size = math.max(packet.length - header_size - 1, 0)
  if packet.has_synchronization ~= nil then
    show_synchronization(tree, bytes, at, size, packet)
  elseif packet.is_missing_list then
    for place = at, at + size - 1 do tree:add(field.missing, bytes(place, 1)) end
  elseif packet.is_repeated then
    tree:add(field.retransmission, true):set_generated():add_proto_expert_info(expert.retransmission)
    table.insert(said, "retransmitted")
  elseif packet.is_unagreed then
    tree:add_proto_expert_info(expert.session)
  elseif packet.session_type == session_type.control then
    show_messages(tree, bytes, packet, said)
    if packet.continues then
      tree:add(field.message_fragment, bytes(at, size))
      table.insert(said, "part of a message")
    end
  elseif packet.session_type == session_type.externalAccessory or packet.session_type == session_type.fileTransfer then
    show_datagram(tree, bytes, at, size, packet, said)
  elseif packet.session_type then
    tree:add_proto_expert_info(expert.session, "Session has an unknown type")
  end
end

-- Shows a checksum and whether it is correct.
local function show_checksum(tree, value_field, state_field, byte, is_right)
  local item = tree:add(value_field, byte)
  item:add(state_field, is_right and schema.valid or schema.invalid):set_generated()
  if not is_right then item:add_proto_expert_info(expert.checksum) end
end

local function show_packet(tree, bytes, packet)
  local at = packet.at
  local item = tree:add(field.packet, bytes(at, packet.length))
  item:add(field.length, bytes(at + 2, 2))
  local control = item:add(field.control, bytes(at + 4, 1))
  local names = {}
  for index, bit in ipairs(schema.control_bits) do
    control:add(bit_fields[index], bytes(at + 4, 1))
    if has_bit(bytes(at + 4, 1):uint(), bit.name) then table.insert(names, bit.name) end
  end
  local bits = table.concat(names, "+")
  control:append_text(" (" .. bits .. ")")
  item:add(field.sequence, bytes(at + 5, 1))
  item:add(field.acknowledgement, bytes(at + 6, 1))
  item:add(field.session, bytes(at + 7, 1))
  if packet.session_type then
    item:add(field.session_type, packet.session_type):set_generated()
  end
  show_checksum(item, field.header_checksum, field.header_state, bytes(at + 8, 1), packet.header_is_right)
  local said = { string.format("%s seq %d ack %d", bits, bytes(at + 5, 1):uint(), bytes(at + 6, 1):uint()) }
  item:set_text(string.format("Packet: %s session %d, %d bytes", said[1], bytes(at + 7, 1):uint(), packet.length))
  show_payload(item, bytes, packet, said)
  if packet.length > header_size then
    show_checksum(
      item, field.payload_checksum, field.payload_state, bytes(at + packet.length - 1, 1), packet.payload_is_right)
  end
  if not (packet.header_is_right and packet.payload_is_right) then table.insert(said, "CHECKSUM WRONG") end
  return table.concat(said, ", ")
end

-- Shows one record under the protocol's name, and its line in the list of packets.
local function show_record(tree, tvb, pinfo, record)
  local bytes = tvb
  if record.prefix then
    bytes = ByteArray.new(record.prefix .. tvb:raw(), true):tvb("Reassembled iAP2 packets")
  end
  local root = tree:add(iap2, bytes())
  if record.from then root:add(field.from, record.from):set_generated() end
  if record.first_record then root:add(field.first_record, record.first_record):set_generated() end
  local said = {}
  for _, found in ipairs(record.found) do
    local range = bytes(found.at, found.length)
    if found.kind == "packet" then
      table.insert(said, show_packet(root, bytes, found))
    elseif found.kind == "detect" then
      root:add(field.detect, range)
      table.insert(said, "detect")
    elseif found.kind == "damage" then
      local text = string.format("%s: %d bytes", found.text, found.length)
      root:add(field.undecoded, range):add_proto_expert_info(expert.undecoded, text)
      table.insert(said, text)
    else
      root:add(field.fragment, range)
      table.insert(said, "part of a packet")
    end
  end
  pinfo.cols.protocol = "iAP2"
  pinfo.cols.info = (record.from and record.from .. ": " or "") .. table.concat(said, "; ")
end
