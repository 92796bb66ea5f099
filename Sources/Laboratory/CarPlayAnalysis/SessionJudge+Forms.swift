// swift-iap2 · Apache-2.0

import CarPlaySession

// The forms of the values in /info and in the answers to SETUP.
extension SessionJudge {
  /// The forms of keys, and the rule of each.
  private typealias Forms = [(key: String, form: ValueForm, rule: CarPlayRule)]

  private static let infoForms: Forms =
    [("deviceID", .address, .infoIdentity), ("features", .bits, .infoFeatures)]
    + forms(
      [
        ("bluetoothIDs", .addresses), ("macAddress", .address), ("pi", .uuid), ("statusFlags", .number),
        ("limitedUIElements", .texts), ("extendedFeatures", .texts),
      ])
    + ["rightHandDrive", "nightMode", "limitedUI", "oemIconVisible", "keepAliveLowPower", "keepAliveSendStatsAsBody"]
    .map { ($0, .boolean, .infoForm) }
    + [
      "name", "model", "manufacturer", "sourceVersion", "protocolVersion", "firmwareRevision", "hardwareRevision",
      "OSInfo", "oemIconLabel",
    ].map { ($0, .text, .infoForm) }

  /// The forms of the keys without which a display shows nothing.
  private static let neededDisplayForms: [(String, ValueForm)] = [
    ("uuid", .name), ("type", .screenType), ("widthPixels", .count), ("heightPixels", .count),
  ]
  private static let displayForms = forms([
    ("widthPhysical", .size), ("heightPhysical", .size), ("features", .number), ("primaryInputDevice", .number),
    ("initialURL", .text),
  ])
  private static let soundForms: Forms =
    [
      ("type", .soundType, .formatBits), ("audioInputFormats", .bits, .formatBits),
      ("audioOutputFormats", .bits, .formatBits),
    ] + forms([("audioType", .text)])
  /// The forms of latencies. The latencies themselves have none: a receiver of AirPlay sends `false` in their place.
  private static let latencyForms = forms([("type", .soundType), ("audioType", .text)])
  private static let inputForms: Forms =
    [("uuid", .name, .infoInputs)]
    + forms([
      ("name", .text), ("displayUUID", .name), ("hidVendorID", .usbNumber), ("hidProductID", .usbNumber),
      ("hidCountryCode", .byte),
    ])

  private static func forms(_ forms: [(String, ValueForm)]) -> Forms { forms.map { ($0.0, $0.1, .infoForm) } }

  /// Judges the forms of the values in `/info`. A key that is missing has no form.
  mutating func takeForms(of info: SessionInfo, from side: SessionSide) {
    take(info.values, Self.infoForms, in: nil, from: side)
    takeDisplays(info.values["displays"]?.array ?? [], from: side)
    takeList(info, "audioFormats", Self.soundForms, .formatBits, from: side)
    takeList(info, "audioLatencies", Self.latencyForms, .infoForm, from: side)
    takeList(info, "hidDevices", Self.inputForms, .infoInputs, from: side)
  }

  /// Judges the forms of displays. One that is right is enough for a picture.
  private mutating func takeDisplays(_ displays: [PropertyValue], from side: SessionSide) {
    let isWrong = { (display: PropertyValue) in
      Self.neededDisplayForms.contains { key, form in
        display[key].map { !form.fits($0) } ?? (key != "type")
      }
    }
    let rule: CarPlayRule = displays.allSatisfy(isWrong) ? .infoDisplays : .infoForm
    for (index, display) in displays.enumerated() {
      guard case .dictionary(let values) = display else { continue }
      let needed: Forms = Self.neededDisplayForms.map { ($0.0, $0.1, rule) }
      take(values, needed + Self.displayForms, in: "displays[\(index)]", from: side)
    }
  }

  /// Judges the forms of a list of dictionaries.
  private mutating func takeList(
    _ info: SessionInfo, _ key: String, _ forms: Forms, _ rule: CarPlayRule, from side: SessionSide
  ) {
    guard let value = info.values[key] else { return }
    guard let list = value.array else {
      return add(rule, by: side, ValueProblem("/info", key, value, expected: "a list of dictionaries"))
    }
    for (index, element) in list.enumerated() {
      guard case .dictionary(let values) = element else {
        add(rule, by: side, ValueProblem("/info", "\(key)[\(index)]", element, expected: "a dictionary"))
        continue
      }
      take(values, forms, in: "\(key)[\(index)]", from: side)
    }
  }

  private mutating func take(
    _ values: [String: PropertyValue], _ forms: Forms, in path: String?, from side: SessionSide
  ) {
    for (key, form, rule) in forms {
      guard let value = values[key], !form.fits(value) else { continue }
      add(rule, by: side, ValueProblem("/info", in: path, key, value, expected: form.words))
    }
  }

  // MARK: Set-up

  /// Judges a port of an answer to SETUP, which must be there.
  ///
  /// - Parameters:
  ///   - path: The place of the dictionary; nil for the outermost one.
  ///   - kind: What the port is for, in words.
  mutating func takePort(
    _ key: String, of values: [String: PropertyValue], in path: String? = nil, _ kind: String, _ rule: CarPlayRule,
    from side: SessionSide
  ) {
    guard values[key].map(ValueForm.port.fits) != true else { return }
    add(
      rule, by: side,
      ValueProblem("answer to SETUP", in: path, key, values[key], expected: "\(kind), 1 to 65535"))
  }

  /// Judges the features that an answer to SETUP enables.
  mutating func takeFeatures(of answer: SessionSetUpAnswer, from side: SessionSide) {
    guard let value = answer.values["enabledFeatures"], !ValueForm.texts.fits(value) else { return }
    add(
      .featureList, by: side,
      ValueProblem("answer to SETUP", "enabledFeatures", value, expected: ValueForm.texts.words))
  }
}
