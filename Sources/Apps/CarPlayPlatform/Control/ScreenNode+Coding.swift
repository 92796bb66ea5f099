// swift-iap2 · Apache-2.0

/// The coding of a screen as JSON. Keys with the default value are omitted.
extension ScreenNode: Codable {
  private enum Key: String, CodingKey {
    case kind, title, detail, enabled, focused, selected, cut, spinner, marks, image, accessory, children
  }

  /// Reads a part with the parts inside.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    self.init(
      try values.decode(Kind.self, forKey: .kind), try values.decodeIfPresent(String.self, forKey: .title) ?? "",
      detail: try values.decodeIfPresent(String.self, forKey: .detail) ?? "",
      isEnabled: try values.decodeIfPresent(Bool.self, forKey: .enabled) ?? true,
      isFocused: try values.decodeIfPresent(Bool.self, forKey: .focused) ?? false,
      isSelected: try values.decodeIfPresent(Bool.self, forKey: .selected) ?? false,
      isCut: try values.decodeIfPresent(Bool.self, forKey: .cut) ?? false,
      hasSpinner: try values.decodeIfPresent(Bool.self, forKey: .spinner) ?? false,
      marks: try values.decodeIfPresent([ScreenMark].self, forKey: .marks) ?? [],
      children: try values.decodeIfPresent([ScreenNode].self, forKey: .children) ?? [])
    image = try values.decodeIfPresent(String.self, forKey: .image)
    accessory = try values.decodeIfPresent(String.self, forKey: .accessory)
  }

  /// Writes the part with the parts inside.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(kind, forKey: .kind)
    if !title.isEmpty { try values.encode(title, forKey: .title) }
    if !detail.isEmpty { try values.encode(detail, forKey: .detail) }
    if !isEnabled { try values.encode(false, forKey: .enabled) }
    if isFocused { try values.encode(true, forKey: .focused) }
    if isSelected { try values.encode(true, forKey: .selected) }
    if isCut { try values.encode(true, forKey: .cut) }
    if hasSpinner { try values.encode(true, forKey: .spinner) }
    if !marks.isEmpty { try values.encode(marks, forKey: .marks) }
    try values.encodeIfPresent(image, forKey: .image)
    try values.encodeIfPresent(accessory, forKey: .accessory)
    if !children.isEmpty { try values.encode(children, forKey: .children) }
  }
}
