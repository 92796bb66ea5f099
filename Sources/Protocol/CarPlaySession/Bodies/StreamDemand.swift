// swift-iap2 · Apache-2.0

import HIDReports

/// The values that a head unit needs to set a stream up, by the family of its type.
package enum StreamDemand: Sendable, Hashable {
  /// A screen with its `streamConnectionID`.
  case screen(UInt64)
  /// Sound with its `streamConnectionID` and its format.
  case audio(UInt64, AudioFormat)
  /// Buffered music with its key.
  case buffered([UInt8])
  /// Data with its `seed`.
  case data(UInt64)

  /// Reads a stream of a request.
  ///
  /// - Parameters:
  ///   - body: The stream.
  ///   - type: Its type.
  ///   - path: Its place in the request, such as `streams[0]`.
  ///   - info: The `/info` that the phone has; nil if it is not known, so that nothing is compared with it.
  ///   - isVerified: Whether the phone is verified.
  /// - Throws: The first key that is missing or wrong.
  package init(
    _ body: StreamBody, _ type: StreamType, at path: String, info: SessionInfo?, isVerified: Bool
  ) throws(ValueProblem) {
    func problem(_ key: String, _ expected: String) -> ValueProblem {
      ValueProblem("SETUP", in: path, key, body.values[key], expected: expected)
    }
    func connectionID() throws(ValueProblem) -> UInt64 {
      guard let id = body.connectionID else { throw problem("streamConnectionID", "a number of 64 bits") }
      return id
    }
    switch type.family {
    case .screen:
      let id = try connectionID()
      guard info?.shows(body.uuid, type) ?? true else {
        throw problem("uuid", "the uuid of a display of type \(type.rawValue) in /info")
      }
      self = .screen(id)
    case .audio:
      let id = try connectionID()
      guard let format = body.audioFormat, info?.offers(format, type) ?? true else {
        throw problem("audioFormat", "one bit of audioOutputFormats for type \(type.rawValue) in /info")
      }
      self = .audio(id, format)
    case .buffered:
      guard isVerified else { throw problem("type", Self.verifiedOnly) }
      guard let key = body.sharedKey, key.count == 32 else { throw problem("shk", "32 bytes") }
      self = .buffered(key)
    case .data:
      guard isVerified else { throw problem("type", Self.verifiedOnly) }
      guard let seed = body.seed else { throw problem("seed", "a number of 64 bits") }
      self = .data(seed)
    }
  }

  private static let verifiedOnly = "a type that needs no pair-verify"
}

extension StreamBody {
  /// Returns the type of a stream of a request.
  ///
  /// - Parameter path: The place of the stream in the request.
  /// - Throws: The problem of a missing or unknown type.
  package func knownType(at path: String) throws(ValueProblem) -> StreamType {
    guard let type else {
      let known = StreamType.allCases.map { "\($0.rawValue)" }.joined(separator: ", ")
      throw ValueProblem("SETUP", in: path, "type", values["type"], expected: "one of \(known)")
    }
    return type
  }

  /// Returns what is wrong with the port of an answer; nil if it has one.
  package func portProblem(at path: String) -> ValueProblem? {
    guard dataPort == nil else { return nil }
    return ValueProblem("answer to SETUP", in: path, "dataPort", values["dataPort"], expected: "a port")
  }

  /// Returns what is wrong with the id of an answer for sound; nil if nothing is.
  ///
  /// A phone of today drops a stream of sound whose answer does not name it. Cars without pairing leave out the id.
  package func idProblem(at path: String, to asked: StreamBody, isVerified: Bool) -> ValueProblem? {
    let key = "streamConnectionID"
    guard type?.family == .audio, connectionID != asked.connectionID, isVerified || values[key] != nil else {
      return nil
    }
    return ValueProblem("answer to SETUP", in: path, key, values[key], expected: "the id of the request")
  }
}

extension SessionSetUpAnswer {
  /// The key without which a phone cannot go on; nil if it is there.
  package var problem: ValueProblem? {
    guard eventPort == nil else { return nil }
    return ValueProblem("answer to SETUP", "eventPort", values["eventPort"], expected: "a TCP port")
  }
}

extension SessionInfo {
  /// The keys that belong to a feature: without the feature an answer after the set-up leaves them out.
  static let keysOfFeatures = ["hevc": "hevcInfo", "mainBuffered": "mainBufferedInfo"]

  /// Returns the key that a feature needs, and its value; nil for a feature that needs none. Source:
  /// CarPlaySession.md#enabled-features.
  package func need(of feature: String) -> (key: String, value: PropertyValue?)? {
    let displays = displays ?? []
    switch feature {
    case "viewAreas": return ("displays[0].viewAreas", displays.compactMap { $0.values["viewAreas"] }.first)
    case "altScreen":
      let second = displays.first { $0.type == StreamType.alternateScreen.rawValue }
      return ("displays", second.map { .dictionary($0.values) })
    default: return Self.keysOfFeatures[feature].map { ($0, values[$0]) }
    }
  }

  /// Returns whether a display of a type has a name; nil stands for any name.
  func shows(_ uuid: String?, _ type: StreamType) -> Bool {
    (displays ?? []).contains {
      $0.uuid == (uuid ?? $0.uuid) && ($0.type ?? StreamType.screen.rawValue) == type.rawValue
    }
  }

  /// Returns whether the head unit plays a format on a stream.
  func offers(_ format: AudioFormat, _ type: StreamType) -> Bool {
    (audioFormats ?? []).contains { $0.includes(format, of: type) }
  }

  /// Returns the readers of the reports of all input devices, by the ids of the devices.
  ///
  /// - Throws: The key that is wrong.
  package func inputReaders() throws(ValueProblem) -> [String: InputReader] {
    guard values["hidDevices"] != nil else { return [:] }
    guard let devices = inputDevices, devices.count <= InputDevice.maximumCount else {
      throw ValueProblem(
        "/info", "hidDevices", values["hidDevices"],
        expected: "a list of at most \(InputDevice.maximumCount) devices with uuid and hidDescriptor")
    }
    var readers: [String: InputReader] = [:]
    for (index, device) in devices.enumerated() {
      let display = displays?.first { $0.uuid == device.displayUUID } ?? displays?.first
      do throws(HIDDescriptorProblem) {
        readers[device.uuid] = InputReader(
          descriptor: try HIDReportDescriptor(device.descriptor, limits: .carPlay, kinds: [.input]),
          width: UInt16(clamping: display?.width ?? 0), height: UInt16(clamping: display?.height ?? 0))
      } catch {
        throw ValueProblem(
          "/info", in: "hidDevices[\(index)]", "hidDescriptor", .data(device.descriptor),
          expected: "a report descriptor (\(error))")
      }
    }
    return readers
  }
}
