// swift-iap2 · Apache-2.0

import CarPlaySession

extension ProbeTarget {
  /// The first inputs, by their names.
  package static let seeds: [String: [UInt8]] = {
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 800, height: 480)])
    var stream = StreamBody(.mainAudio)
    (stream.dataPort, stream.controlPort, stream.values["streamConnectionID"]) = (9, 10, 5)
    let setUp: PropertyValue = ["eventPort": 1, "timingPort": 2, "enabledFeatures": ["iAPChannel"]]
    let taking = ModeTransfer.take(.userInitiated, take: .anytime, borrow: .anytime)
    let modes = SessionCommand.changeModes(ModeRequest([(.screen, taking)])).body.binary
    let changed = SessionCommand.modesChanged(ModeSnapshot(ModeArbiter())).body.binary
    var seeds: [String: [UInt8]] = [
      "information": [0] + answer(0x45, info.bytes), "set-up": [0] + answer(0x43, setUp.binary) + [0x44],
      "stream": [0] + answer(0x47, StreamList([stream]).bytes) + [0x48, 0x49],
      "pairing": [2] + answer(0x40, TLV8([(.state, [2]), (.salt, [1]), (.publicKey, [2])]).bytes),
      "proof": [0] + answer(0x42, [UInt8](repeating: 1, count: 40)),
      "wish": [0, 2, 0] + sized(modes), "command": [1, 2, 0] + sized(changed) + [0x42],
      "request": [1, 2, 1] + sized(StreamList([stream]).bytes) + [0x41],
      "picture": [1, 3, 1, 0] + sized([1, 100, 0, 31]) + [3, 0, 1] + sized([0, 0, 0, 1, 0x65]) + [0x40],
      "sound": [1, 4, 100, 1, 1] + sized([0, 0, 0, 0]) + [4, 100, 1, 1] + sized([0]) + [0x44],
      "microphone": [0, 4, 100, 1, 1] + sized([0, 0, 0, 0]) + [0x48],
      "music": [1, 6] + sized([0x21, 0x10]) + [0x44], "clock": [1, 12, 3, 1, 9, 12, 3, 0, 9, 0x41],
      "package": [1, 5] + sized([UInt8](repeating: 0, count: 32)) + [5] + sized([0, 0, 0, 32]) + [0x43],
      "raw": [2, 0] + sized(Array("RTSP/1.0 200 OK\r\nCSeq: 1\r\nContent-Length: 99999999\r\n\r\n".utf8)) + [0x4C],
      "closed": [0, 7, 1, 7, 0, 0x4F], "session": [2, 0x4C], "verified-session": [0, 0x4C],
    ]
    do throws(DataPackageProblem) {
      seeds["whole-package"] = [1, 5] + sized(try DataPackage(sequence: 1).bytes()) + [0x43]
    } catch {}
    return seeds
  }()

  /// Returns bytes behind their length.
  private static func sized(_ bytes: [UInt8]) -> [UInt8] {
    let bytes = bytes.prefix(0xFFF)
    return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)] + bytes
  }

  /// Returns a step whose answer has a body.
  private static func answer(_ operation: UInt8, _ body: [UInt8]) -> [UInt8] { [operation, 0] + sized(body) }
}
