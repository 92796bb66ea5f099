-- The fields that Wireshark shows and filters by. `schema`, above, has all names of the protocol.

local is_first, iap2 = pcall(Proto, "iap2", "Apple accessory protocol iAP2")
-- Wireshark reads the plugins of the user and those of the system. The copy that it reads first is used.
if not is_first and tostring(iap2):find("there cannot be two protocols") then do return end end
assert(is_first, iap2)
-- The header of a record of link type USER10, which `iap2` writes.
local iap2_record = Proto("iap2_record", "iAP2 capture record")

local field = {
  connection = ProtoField.uint16("iap2.connection", "Connection"),
  from = ProtoField.string("iap2.from", "From"),
  detect = ProtoField.none("iap2.detect", "Detect"),
  undecoded = ProtoField.bytes("iap2.undecoded", "Bytes that could not be read"),
  fragment = ProtoField.bytes("iap2.fragment", "Start of a packet, the rest is in a later record"),
  first_record = ProtoField.framenum("iap2.first_record", "Begins in record"),
  packet = ProtoField.none("iap2.packet", "Packet"),
  length = ProtoField.uint16("iap2.length", "Length"),
  control = ProtoField.uint8("iap2.control", "Control", base.HEX),
  sequence = ProtoField.uint8("iap2.sequence", "Sequence number"),
  acknowledgement = ProtoField.uint8("iap2.acknowledgement", "Acknowledgement"),
  session = ProtoField.uint8("iap2.session", "Session"),
  session_type = ProtoField.uint8("iap2.session.type", "Session type", base.DEC, schema.session_types),
  header_checksum = ProtoField.uint8("iap2.header_checksum", "Header checksum", base.HEX),
  header_state = ProtoField.string("iap2.header_checksum.status", "Header checksum is"),
  payload_checksum = ProtoField.uint8("iap2.payload_checksum", "Payload checksum", base.HEX),
  payload_state = ProtoField.string("iap2.payload_checksum.status", "Payload checksum is"),
  retransmission = ProtoField.bool("iap2.retransmission", "Sent again"),
  missing = ProtoField.uint8("iap2.missing_sequence", "Missing sequence number"),
  syn = ProtoField.none("iap2.syn", "Synchronization"),
  syn_version = ProtoField.uint8("iap2.syn.version", "Link version"),
  syn_max_outstanding = ProtoField.uint8("iap2.syn.max_outstanding", "Most packets outstanding"),
  syn_max_length = ProtoField.uint16("iap2.syn.max_length", "Longest packet"),
  syn_retransmission = ProtoField.uint16("iap2.syn.retransmission_timeout", "Retransmission timeout, ms"),
  syn_cumulative_ack = ProtoField.uint16("iap2.syn.cumulative_ack_timeout", "Cumulative acknowledgement timeout, ms"),
  syn_max_retransmissions = ProtoField.uint8("iap2.syn.max_retransmissions", "Most retransmissions"),
  syn_max_acks = ProtoField.uint8("iap2.syn.max_cumulative_acks", "Most cumulative acknowledgements"),
  syn_session = ProtoField.none("iap2.syn.session", "Session"),
  syn_session_id = ProtoField.uint8("iap2.syn.session.id", "Id"),
  syn_session_type = ProtoField.uint8("iap2.syn.session.type", "Type", base.DEC, schema.session_types),
  syn_session_version = ProtoField.uint8("iap2.syn.session.version", "Version"),
  message = ProtoField.none("iap2.message", "Message"),
  message_length = ProtoField.uint16("iap2.message.length", "Length"),
  message_id = ProtoField.uint16("iap2.message.id", "Id", base.HEX),
  message_name = ProtoField.string("iap2.message.name", "Name"),
  message_fragment = ProtoField.bytes("iap2.message.fragment", "Part of a message, the rest is in a later packet"),
  parameter = ProtoField.none("iap2.parameter", "Parameter"),
  parameter_length = ProtoField.uint16("iap2.parameter.length", "Length"),
  parameter_id = ProtoField.uint16("iap2.parameter.id", "Id"),
  parameter_unknown = ProtoField.bytes("iap2.parameter.unknown", "Unknown parameter"),
  parameter_undecoded = ProtoField.bytes("iap2.parameter.undecoded", "Value that is not what its schema says"),
  ea_session = ProtoField.uint16("iap2.ea.session", "External accessory session"),
  ea_data = ProtoField.bytes("iap2.ea.data", "External accessory data"),
  file_id = ProtoField.uint8("iap2.file.id", "File"),
  file_operation = ProtoField.uint8("iap2.file.operation", "Operation", base.HEX, schema.file_operations),
  file_data = ProtoField.bytes("iap2.file.data", "File transfer data"),
}

local expert = {
  checksum = ProtoExpert.new("iap2.checksum.bad", "Checksum is wrong", expert.group.CHECKSUM, expert.severity.ERROR),
  undecoded = ProtoExpert.new(
    "iap2.undecoded.bad", "Bytes that could not be read", expert.group.MALFORMED, expert.severity.ERROR),
  session = ProtoExpert.new(
    "iap2.session.bad", "Session was not agreed", expert.group.PROTOCOL, expert.severity.WARN),
  parameter = ProtoExpert.new(
    "iap2.parameter.bad", "Parameter is not what its schema says", expert.group.MALFORMED, expert.severity.ERROR),
  retransmission = ProtoExpert.new(
    "iap2.retransmission.seen", "Packet was retransmitted", expert.group.SEQUENCE, expert.severity.NOTE),
}

-- Masks of the control bits, and a field for each.
local bit_mask = {}
local bit_fields = {}
for _, bit in ipairs(schema.control_bits) do
  bit_mask[bit.name] = bit.mask
  local name = "iap2.control." .. bit.name:lower()
  table.insert(bit_fields, ProtoField.bool(name, bit.name, 8, nil, bit.mask))
end

local session_type = {}
for number, name in pairs(schema.session_types) do session_type[name] = number end

local message_names = {}
for id, message in pairs(schema.messages) do message_names[id] = message.name end

-- The kind of field for a shape of the schema, and the bytes of one value if they are fixed.
local shapes = {
  u8 = { make = ProtoField.uint8, size = 1 },
  u16 = { make = ProtoField.uint16, size = 2 },
  u32 = { make = ProtoField.uint32, size = 4 },
  u64 = { make = ProtoField.uint64, size = 8 },
  i8 = { make = ProtoField.int8, size = 1 },
  i16 = { make = ProtoField.int16, size = 2 },
  i32 = { make = ProtoField.int32, size = 4 },
  i64 = { make = ProtoField.int64, size = 8 },
  enum = { make = ProtoField.uint8, size = 1 },
  bool = { make = ProtoField.bool, size = 1 },
  void = { make = ProtoField.none, size = 0 },
  blob = { make = ProtoField.bytes },
  utf8 = { make = ProtoField.string },
  group = { make = ProtoField.none },
}

local all_fields = {}
for _, one in pairs(field) do table.insert(all_fields, one) end
for _, one in ipairs(bit_fields) do table.insert(all_fields, one) end

-- Gives every row of the schema its field, and finds rows by id.
local function prepare(rows)
  for _, row in ipairs(rows) do
    local form = row
    while form do
      local make = shapes[form.shape].make
      if form.holds_message_ids then
        form.proto_field = make(form.field, row.name, base.HEX, message_names)
      elseif form.names then
        form.proto_field = make(form.field, row.name, base.DEC, form.names)
      else
        form.proto_field = make(form.field, row.name)
      end
      table.insert(all_fields, form.proto_field)
      form = form.other
    end
    if row.rows then prepare(row.rows) end
    rows.by_id = rows.by_id or {}
    rows.by_id[row.id] = row
  end
end
for _, message in pairs(schema.messages) do prepare(message.rows) end

iap2.fields = all_fields
local all_experts = {}
for _, one in pairs(expert) do table.insert(all_experts, one) end
iap2.experts = all_experts
