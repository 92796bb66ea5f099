-- Items in Wireshark's tree and columns.

-- The number of the links of the present packet, which tells them apart.
local cp_links = 0

local function cp_plain(node)
  if node.kind == "group" or node.kind == "list" then return "" end
  if node.kind == "data" then return string.format(" = %d bytes", node.is_item and #node.bytes or node.length) end
  return " = " .. tostring(node.value)
end

local cp_add_value

local function cp_add_parts(item, bytes, node)
  for _, part in ipairs(node.parts) do cp_add_value(item, bytes, part) end
end

-- Adds a value of a body. `bytes` is the body.
function cp_add_value(tree, bytes, node)
  local range = bytes(node.at, node.size)
  local line = (node.name or "") .. cp_plain(node)
  local item = tree:add(cp.entry, range, line)
  item:set_text(line)
  if node.name then item:add(cp.key, range, node.name) end
  if node.kind == "group" or node.kind == "list" then
    item:add(cp[node.kind], range, #node.parts):set_generated()
    cp_add_parts(item, bytes, node)
  elseif node.kind == "data" and node.is_item then
    -- A long item of pairing comes in several pieces.
    local value = ByteArray.new(node.bytes, true)
    local range = #node.bytes > 0 and value:tvb("Item of pairing")() or bytes(node.at, 0)
    item:add(cp.data, range)
  elseif node.kind == "data" then
    item:add(cp.data, bytes(node.start, node.length))
  else
    item:add(cp[node.kind], range, node.value)
  end
end

local function cp_add_body(root, bytes, tree)
  local item = root:add(cp.body, bytes, "")
  item:set_text("Body")
  cp_add_value(item, bytes, tree)
end

-- Adds what all items have.
local function cp_root(tree, range, layer, session, side)
  local root = tree:add(carplay, range)
  root:add(cp.layer, layer):set_generated()
  if session then root:add(cp.session, session.number):set_generated() end
  if side then root:add(cp.from, side):set_generated() end
  return root
end

local function cp_problem(root, reason)
  root:add(cp.reason, reason):set_generated()
  root:add_proto_expert_info(cp_expert, reason)
end

-- Shows iAP2 inside a session by the dissector of links.
local function cp_show_link(tree, range, pinfo, session, side)
  if range:len() == 0 then return end
  cp_links = cp_links + 1
  dissect(range:tvb(), pinfo, tree, {
    number = pinfo.number, conversation = "CarPlay session " .. session.number, stream = side, side = side,
    offset = "CarPlay " .. cp_links,
  })
end

-- Shows the parts of auth-setup. Parts that do not fit the body are shown as its bytes.
local function cp_show_auth_setup(root, bytes, side)
  local size = bytes:len()
  local certificate = size >= 36 and bytes(32, 4):uint() or size
  if side == schema.accessory
    and (40 + certificate > size or bytes(36 + certificate, 4):uint() ~= size - 40 - certificate)
  then
    root:add(cp.payload, bytes())
    return
  end
  root = root:add(cp.body, bytes(), "")
  root:set_text("Body")
  local function part(name, at, length)
    cp_add_value(root, bytes, { kind = "data", name = name, at = at, size = length, start = at, length = length })
  end
  if side == schema.device then
    local version = { kind = "integer", name = "version", at = 0, size = 1, value = Int64(bytes(0, 1):uint()) }
    cp_add_value(root, bytes, version)
    return part("publicKey", 1, size - 1)
  end
  part("publicKey", 0, 32)
  part("certificate", 36, certificate)
  part("encryptedSignature", 40 + certificate, size - 40 - certificate)
end

local function cp_show_message(tree, tvb, pinfo, connection, side, message)
  local layer = message.is_answer and "carPlayAnswer" or "carPlayRequest"
  local root = cp_root(tree, tvb(message.at, message.length), layer, connection.session, side)
  root:add(cp.socket, connection.name):set_generated()
  local line = tvb(message.at, message.line_length)
  local words
  if message.is_answer then
    root:add(cp.status, line, message.status)
    words = message.status .. (message.reason ~= "" and " " .. message.reason or "")
    if message.method then
      root:add(cp.method, message.method):set_generated()
      root:add(cp.path, message.path):set_generated()
      words = words .. " to " .. message.method .. " " .. message.path
    end
  else
    root:add(cp.method, line, message.method)
    root:add(cp.path, line, message.path)
    words = message.method .. " " .. message.path
  end
  if message.cseq then root:add(cp.cseq, line, message.cseq) end
  for _, header in ipairs(message.headers) do root:add(cp.header, tvb(header.at, header.length), header.text) end
  local link
  if message.body_length > 0 then
    local bytes = tvb(message.body_at, message.body_length):tvb()
    local data = bytes:raw()
    local tree_of_body, reason = cp_read_body(data, message.path)
    if message.path == "/pair-setup" or message.path == "/pair-verify" then
      local state = tree_of_body and cp_number(cp_entry(tree_of_body, "state"))
      if state then
        root:add(cp.procedure, message.path:sub(2)):set_generated()
        root:add(cp.state, state):set_generated()
        words = words .. ", M" .. string.format("%.0f", state)
        local refused = cp_number(cp_entry(tree_of_body, "error"))
        if refused then
          local name = session_schema.pairing_errors[refused] or string.format("error %.0f", refused)
          words = words .. ", refused: " .. name
        end
      end
    end
    if tree_of_body then
      cp_add_body(root, bytes(), tree_of_body)
      local command = message.path == "/command" and not message.is_answer and cp_entry(tree_of_body, "type")
      if command and command.kind == "text" then
        words = words .. ", " .. command.value
        local data_of_link = cp_entry(cp_entry(tree_of_body, "params"), "data")
        if command.value == "iAPSendMessage" and data_of_link and data_of_link.kind == "data" then
          link = bytes(data_of_link.start, data_of_link.length)
        end
      end
    elseif message.path == "/auth-setup" then
      cp_show_auth_setup(root, bytes, side)
    else
      root:add(cp.payload, bytes())
      if reason then cp_problem(root, reason) end
    end
  end
  root:set_text("CarPlay " .. connection.name .. ": " .. words)
  if link then cp_show_link(tree, link, pinfo, connection.session, side) end
  return words
end

local function cp_show_picture(tree, tvb, connection, side, item, is_sealed)
  local root = cp_root(tree, tvb(item.at, item.length), "carPlayPicture", connection.session, side)
  local header = session_schema.screen_header
  local size = item.length - header
  local type = tvb(item.at + 4, 1):uint()
  local kind = session_schema.picture_kinds[type] or "type " .. type
  root:add(cp.stream, connection.name):set_generated()
  root:add_le(cp.byte_count, tvb(item.at, 4))
  root:add(cp.kind, tvb(item.at + 4, 1), kind)
  local words = connection.name .. ": " .. kind
  if kind == "frame" then
    local is_key = math.floor(tvb(item.at + 5, 1):uint() / 16) % 2 == 1
    root:add(cp.key_frame, tvb(item.at + 5, 1), is_key)
    if is_key then words = words .. ", key frame" end
  end
  root:add_le(cp.flags, tvb(item.at + 6, 2))
  root:add_le(cp.width, tvb(item.at + 16, 4))
  root:add_le(cp.height, tvb(item.at + 20, 4))
  if kind == "configuration" then
    local width, height = tvb(item.at + 16, 4):le_float(), tvb(item.at + 20, 4):le_float()
    words = words .. string.format(", %.0f x %.0f", width, height)
  end
  words = words .. string.format(", %d bytes", size)
  if size > 0 then
    local bytes = tvb(item.at + header, size)
    local list = kind == "statistics" and cp_property_list(bytes:raw())
    if list then
      cp_add_body(root, bytes:tvb()(), list)
    else
      root:add(is_sealed and kind == "frame" and cp.sealed or cp.payload, bytes)
    end
  end
  if is_sealed and kind == "frame" then words = words .. ", sealed" end
  root:set_text("CarPlay " .. words)
  return words
end

-- Adds the header of RTP, which is never encrypted, and the payload behind it.
local function cp_show_rtp(root, bytes)
  root:add(cp.sequence, bytes(2, 2), UInt64(bytes(2, 2):uint()))
  root:add(cp.sample, bytes(4, 4))
  root:add(cp.source, bytes(8, 4))
  local size = bytes:len() - session_schema.sound_header
  root:add(cp.byte_count, size):set_generated()
  if size > 0 then root:add(cp.payload, bytes(session_schema.sound_header, size)) end
  return string.format("packet %d, sample %d, %d bytes", bytes(2, 2):uint(), bytes(4, 4):uint(), size)
end

local function cp_show_sound(tree, tvb, connection, side, item)
  local root = cp_root(tree, tvb(item.at, item.length), "carPlaySound", connection.session, side)
  root:add(cp.stream, connection.name):set_generated()
  local words = connection.name .. ": " .. cp_show_rtp(root, tvb(item.at + 2, item.length - 2):tvb())
  root:set_text("CarPlay " .. words)
  return words
end

local cp_package_kinds = { sync = "sync", rply = "reply" }

local function cp_show_package(tree, tvb, pinfo, connection, side, item)
  local root = cp_root(tree, tvb(item.at, item.length), "carPlayData", connection.session, side)
  local header = session_schema.package_header
  local letters = tvb(item.at + 4, 4):raw()
  local kind = cp_package_kinds[letters] or string.format("other(%d)", tvb(item.at + 4, 4):uint())
  local size = item.length - header
  root:add(cp.stream, connection.name):set_generated()
  root:add(cp.kind, tvb(item.at + 4, 4), kind)
  root:add(cp.sequence, tvb(item.at + 20, 8))
  root:add(cp.byte_count, size):set_generated()
  local words = string.format("%s: %s %s, %d bytes", connection.name, kind, tvb(item.at + 20, 8):uint64(), size)
  local link
  if size > 0 then
    local bytes = tvb(item.at + header, size):tvb()
    local has_data = kind ~= "reply" and tvb(item.at + 16, 4):raw() == "comm"
    local list = has_data and cp_property_list(bytes:raw())
    if list then
      cp_add_body(root, bytes(), list)
      local inner = cp_entry(cp_entry(list, "params"), "data")
      local command = cp_entry(list, "type")
      if connection.is_iap and command and command.value == "iAPSendMessage" and inner and inner.kind == "data" then
        link = bytes(inner.start, inner.length)
      end
    else
      root:add(cp.payload, bytes())
      if has_data and connection.is_iap then link = bytes() end
    end
  end
  root:set_text("CarPlay " .. words)
  if link then cp_show_link(tree, link, pinfo, connection.session, side) end
  return words
end

-- Shows bytes that cannot be read.
local function cp_show_rest(tree, tvb, connection, side, item)
  local is_problem = item.what == "rest" and item.reason
  local root = cp_root(
    tree, tvb(item.at, item.length), is_problem and "carPlayProblem" or "carPlaySealed", connection.session, side)
  root:add(connection.kind == "stream" and cp.stream or cp.socket, connection.name):set_generated()
  local words = string.format("%s: %d bytes", connection.name, item.length)
  if item.what == "frames" then
    root:add(cp.count, item.count):set_generated()
    root:add(cp.byte_count, item.bytes):set_generated()
    words = string.format("%s: %d sealed frames, %d bytes", connection.name, item.count, item.bytes)
  else
    root:add(cp.byte_count, item.length):set_generated()
    words = words .. (item.what == "sealed" and ", sealed" or item.reason and "" or ", not complete")
  end
  root:add(cp.sealed, tvb(item.at, item.length))
  if item.reason then cp_problem(root, item.reason) end
  root:set_text("CarPlay " .. words)
  return words
end

local function cp_show(tree, tvb, pinfo, connection, side, items, mark, reason)
  local said = {}
  if mark and not (mark == "sealed" and connection.family == "screen") then
    items = { { what = mark == "damaged" and "rest" or "sealed", at = 0, length = tvb:len(), reason = reason } }
  end
  for _, item in ipairs(items) do
    local words
    if item.what == "message" then
      words = cp_show_message(tree, tvb, pinfo, connection, side, item)
    elseif item.what == "picture" then
      words = cp_show_picture(tree, tvb, connection, side, item, mark == "sealed")
    elseif item.what == "sound" then
      words = cp_show_sound(tree, tvb, connection, side, item)
    elseif item.what == "package" then
      words = cp_show_package(tree, tvb, pinfo, connection, side, item)
    else
      words = cp_show_rest(tree, tvb, connection, side, item)
    end
    table.insert(said, words)
  end
  pinfo.cols.protocol = "CarPlay"
  if #said > 0 then pinfo.cols.info = side .. ": " .. table.concat(said, "; ") end
end

-- The seconds of a time of NTP: 32 bits of seconds and 32 of their fraction.
local function cp_ntp(range) return range(0, 4):uint() + range(4, 4):uint() / 2 ^ 32 end

local function cp_show_clock(root, tvb, packet)
  root:add(cp.socket, "clock"):set_generated()
  if not packet.kind then
    cp_problem(root, string.format("%d bytes that are no clock packet", tvb:len()))
    return "clock: no clock packet"
  end
  root:add(cp.kind, tvb(1, 1), packet.kind)
  root:add(cp.reference, tvb(8, 8), cp_ntp(tvb(8, 8)))
  root:add(cp.received, tvb(16, 8), cp_ntp(tvb(16, 8)))
  root:add(cp.sent, tvb(24, 8), cp_ntp(tvb(24, 8)))
  if packet.delay then root:add(cp.delay, packet.delay):set_generated() end
  return "clock: " .. packet.kind
end

local function cp_show_control(root, tvb, name)
  root:add(cp.stream, name):set_generated()
  local first, second = tvb:len() >= 4 and tvb(0, 1):uint(), tvb:len() >= 4 and tvb(1, 1):uint() % 128
  local is_known = first == 0x80 or first == 0x90
  if is_known and second == 0x54 and tvb:len() == 20 then
    root:add(cp.sample, tvb(4, 4))
    local order = first == 0x90 and ", the first one" or ""
    return string.format("%s: synchronization, sample %d is heard now%s", name, tvb(4, 4):uint(), order)
  elseif first == 0x80 and second == 0x55 and tvb:len() == 8 then
    root:add(cp.sequence, tvb(4, 2), UInt64(tvb(4, 2):uint()))
    root:add(cp.count, tvb(6, 2))
    return string.format("%s: asks for %d packets again, from %d", name, tvb(6, 2):uint(), tvb(4, 2):uint())
  elseif first == 0x80 and second == 0x56 and tvb:len() >= 4 + session_schema.sound_header then
    root:add(cp.sequence, tvb(2, 2), UInt64(tvb(2, 2):uint()))
    root:add(cp.payload, tvb(4))
    return string.format("%s: packet %d again", name, tvb(2, 2):uint())
  end
  root:add(cp.payload, tvb())
  return string.format("%s: a control packet of %d bytes that is not known", name, tvb:len())
end

local function cp_show_datagram(tree, tvb, pinfo, packet, mark, reason)
  local role = packet.role
  local layer = (role.kind == "clock" or role.kind == "keep-alive") and "carPlayClock" or "carPlaySound"
  if role.kind == "clock" and not packet.kind then layer = "carPlayProblem" end
  local root = cp_root(tree, tvb(), layer, role.session, role.from)
  local words
  if role.kind == "clock" then
    words = cp_show_clock(root, tvb, packet)
  elseif role.kind == "keep-alive" then
    root:add(cp.socket, "keep-alive"):set_generated()
    words = string.format("keep-alive, %d byte%s", tvb:len(), tvb:len() == 1 and "" or "s")
  elseif role.kind == "sound" then
    root:add(cp.stream, role.name):set_generated()
    if tvb:len() < session_schema.sound_header then
      words = role.name .. ": a datagram that is no packet of sound"
      root:add(cp.payload, tvb())
    else
      words = role.name .. ": " .. cp_show_rtp(root, tvb)
      if mark then words = words .. ", sealed" end
      if reason then cp_problem(root, reason) end
    end
  else
    words = cp_show_control(root, tvb, role.name)
  end
  root:set_text("CarPlay " .. words)
  pinfo.cols.protocol = "CarPlay"
  pinfo.cols.info = role.from .. ": " .. words
end
