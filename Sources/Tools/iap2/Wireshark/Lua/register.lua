-- The transports of the bytes: captures of `iap2`, USB, Bluetooth, TCP.

iap2.prefs.tcp = Pref.bool("Recognize iAP2 in TCP", false, "Look for iAP2 at the start of TCP streams of any port")

-- A Bluetooth link and its channel. Its ends may have no addresses, or get them later.
local bluetooth_link = Field.new("bthci_acl.chandle")
local bluetooth_channel = Field.new("btrfcomm.dlci")

-- Returns the names of both ends. A USB device is one end with all its endpoints; the host is the other.
local function place_of(pinfo)
  local source = tostring(pinfo.src) .. " " .. pinfo.src_port
  local target = tostring(pinfo.dst) .. " " .. pinfo.dst_port
  local link, number = bluetooth_link(), bluetooth_channel()
  local channel = link and number and string.format(" link %s channel %s", link, number) or ""
  local place = { number = pinfo.number, stream = source .. " > " .. target .. channel, is_joined = true }
  local device = tostring(pinfo.src) == "host" and tostring(pinfo.dst) or tostring(pinfo.src)
  if tostring(pinfo.src) == "host" or tostring(pinfo.dst) == "host" then
    place.conversation = device:gsub("%.%d+$", "")
  elseif source < target then
    place.conversation = source .. " " .. target .. channel
  else
    place.conversation = target .. " " .. source .. channel
  end
  return place
end

-- Shows the bytes, which are read at the first pass; returns 0 if they were not accepted then.
local function dissect(tvb, pinfo, tree, place)
  -- A frame of TCP may hold two pieces of a stream.
  local key = table.concat({ place.number, tvb:len(), place.offset or tvb:offset() }, " ")
  local record = records[key]
  if not record then
    if pinfo.visited then return 0 end
    record = read_record(place, tvb:raw(), place.is_joined and pinfo.can_desegment > 0)
    records[key] = record
    if tvb:reported_len() > tvb:len() then break_stream(place) end
  end
  if record.wanted and pinfo.can_desegment > 0 then
    pinfo.desegment_offset = tvb:len() - record.rest
    pinfo.desegment_len = record.wanted
    if #record.found == 0 then return tvb:len() end
  end
  show_record(tree, tvb, pinfo, record)
  return tvb:len()
end

-- On transports that other protocols also use, a stream must begin like iAP2.
local function dissect_stream(tvb, pinfo, tree)
  if tvb:len() == 0 then return 0 end
  local place = place_of(pinfo)
  if not pinfo.visited and not is_known(place) and not begins(tvb:raw()) then return 0 end
  return dissect(tvb, pinfo, tree, place)
end

function iap2.dissector(tvb, pinfo, tree) return dissect_stream(tvb, pinfo, tree) end

-- A call of the protocol's dissector would show bytes that it does not accept as data, and return their number.
local function recognize(tvb, pinfo, tree) return dissect_stream(tvb, pinfo, tree) > 0 end

local record_field = {
  version = ProtoField.uint8("iap2_record.version", "Version"),
  sender = ProtoField.uint8("iap2_record.sender", "Sender", base.DEC, { [0] = schema.accessory, schema.device }),
}
iap2_record.fields = { record_field.version, record_field.sender }

-- Version 1, sender, number of the connection u16; then the bytes of one write to the transport.
function iap2_record.dissector(tvb, pinfo, tree)
  if tvb:len() < 4 or tvb(0, 1):uint() ~= 1 or tvb(1, 1):uint() > 1 then return 0 end
  local head = tree:add(iap2_record, tvb(0, 4))
  head:add(record_field.version, tvb(0, 1))
  head:add(record_field.sender, tvb(1, 1))
  head:add(field.connection, tvb(2, 2))
  local side = tvb(1, 1):uint() == 0 and schema.accessory or schema.device
  local connection = "connection " .. tvb(2, 2):uint()
  if tvb:len() > 4 then
    local place = { number = pinfo.number, conversation = connection, stream = side, side = side, is_joined = true }
    dissect(tvb(4):tvb(), pinfo, tree, place)
  end
  return tvb:len()
end

DissectorTable.get("wtap_encap"):add((wtap_encaps or wtap).USER10, iap2_record)

DissectorTable.get("usb.bulk"):add(0xFF, iap2)
iap2:register_heuristic("usb.bulk", recognize)

-- RFCOMM has no heuristic dissectors, so every channel is examined and may be left.
for channel = 2, 61 do DissectorTable.get("btrfcomm.dlci"):add(channel, iap2) end

DissectorTable.get("tcp.port"):add_for_decode_as(iap2)
iap2:register_heuristic("tcp", function(tvb, pinfo, tree)
  if not iap2.prefs.tcp or not recognize(tvb, pinfo, tree) then return false end
  pinfo.conversation = iap2
  return true
end)
