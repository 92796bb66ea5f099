-- Control messages: every parameter is shown by its name in the schema; none is dropped or merged.

local show_parameters

-- Adds one value; returns false if the bytes do not have this shape. Groups are walked with the rows they name.
local function show_value(tree, bytes, at, size, form)
  local shape = shapes[form.shape]
  local value = bytes(at, size)
  if form.packed or (form.joins and size > shape.size and size % shape.size == 0) then
    if size % shape.size ~= 0 then return false end
    for offset = at, at + size - 1, shape.size do tree:add(form.proto_field, bytes(offset, shape.size)) end
    return true, size / shape.size .. " values"
  end
  if shape.size and size ~= shape.size then return false end
  if form.shape == "utf8" then
    local text = bytes:raw(at, size)
    if not is_utf8(text) then return false end
    return true, tree:add(form.proto_field, value, text).text
  end
  if form.shape ~= "group" then return true, tree:add(form.proto_field, value).text end
  show_parameters(tree:add(form.proto_field, value), bytes, at, at + size, form.rows)
  return true
end

-- Adds one parameter, whose header is valid.
local function show_parameter(tree, bytes, at, length, row)
  local item = tree:add(field.parameter, bytes(at, length))
  item:add(field.parameter_length, bytes(at, 2))
  item:add(field.parameter_id, bytes(at + 2, 2))
  local size = length - 4
  if not row then
    item:add(field.parameter_unknown, bytes(at + 4, size))
    item:set_text("Unknown parameter " .. bytes(at + 2, 2):uint())
    return
  end
  local form = row
  local is_shown, text = show_value(item, bytes, at + 4, size, form)
  while not is_shown and form.other do
    form = form.other
    is_shown, text = show_value(item, bytes, at + 4, size, form)
  end
  if is_shown then
    if text and text:sub(1, #row.name) ~= row.name then text = row.name .. ": " .. text end
    item:set_text((text or row.name) .. (row.unit and " " .. row.unit or ""))
  else
    item:add(field.parameter_undecoded, bytes(at + 4, size))
    item:set_text(row.name .. " is not what its schema says")
    item:add_proto_expert_info(expert.parameter)
  end
end

function show_parameters(tree, bytes, at, stop, rows)
  while at < stop do
    local left = stop - at
    local length = left >= 4 and bytes(at, 2):uint() or 0
    if left < 4 then
      tree:add(field.undecoded, bytes(at, left)):add_proto_expert_info(
        expert.parameter, "Bytes that are too few for a parameter")
      return
    end
    local row = rows.by_id and rows.by_id[bytes(at + 2, 2):uint()]
    if length < 4 or length > left then
      local item = tree:add(field.parameter, bytes(at, left))
      item:add(field.parameter_length, bytes(at, 2))
      item:add(field.parameter_id, bytes(at + 2, 2))
      item:add(field.parameter_undecoded, bytes(at + 4, left - 4))
      item:set_text((row and row.name or "Unknown parameter") .. " ends before its length")
      item:add_proto_expert_info(expert.parameter, "The length of a parameter is impossible")
      return
    end
    show_parameter(tree, bytes, at, length, row)
    at = at + length
  end
end

-- Adds a complete message and returns its name.
local function show_message(tree, bytes, at, length)
  local id = bytes(at + 4, 2):uint()
  local known = schema.messages[id]
  local name = known and known.name or "unknown message"
  local item = tree:add(field.message, bytes(at, length))
  item:set_text(string.format("%s 0x%04X", name, id))
  item:add(field.message_length, bytes(at + 2, 2))
  item:add(field.message_id, bytes(at + 4, 2))
  if known then item:add(field.message_name, name):set_generated() end
  show_parameters(item, bytes, at + schema.message_header_byte_count, at + length, known and known.rows or {})
  return string.format("%s 0x%04X", name, id)
end
