// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// The first inputs of ``CarPlayCaptureTarget``.
enum CarPlayCaptureSeeds {
  static let all: [String: [UInt8]] = [
    "session": [0, 0] + setUp + streams + content + end, "cut": [0, 0] + setUp + streams,
    "key-log": keyLog + pairing + setUp, "other-key": keyLog + pairing.reversed(), "bonjour": [0, 0] + bonjour + setUp,
    "gap": [0, 0] + setUp + packet(.gap, 0, Array("lost".utf8)) + content + end,
    "not-a-log": [0, 12] + Array("a b\n#c\r\n1 2 3".utf8) + setUp,
  ]

  private enum Kind: UInt8 {
    case datagram, bonjour, begin, end, gap, segment
  }

  private static func packet(
    _ kind: Kind, _ port: UInt8, _ bytes: [UInt8], fromHeadUnit: Bool = false
  ) -> [UInt8] {
    [kind.rawValue | (fromHeadUnit ? 0x10 : 0), port] + UInt16(bytes.count).bigEndianBytes + bytes
  }

  private static func begin(_ port: UInt8) -> [UInt8] {
    packet(.begin, port, []) + packet(.begin, port, [], fromHeadUnit: true)
  }

  private static func exchange(_ method: String, _ path: String, _ body: [UInt8], _ answer: [UInt8]) -> [UInt8] {
    let request = RequestMessage(
      .request(method: method, path: path, protocolWord: "RTSP/1.0"), headers: RequestHeaders([("CSeq", "1")]),
      body: body)
    return packet(.segment, 0, request.bytes)
      + packet(.segment, 0, request.answer(200, body: answer).bytes, fromHeadUnit: true)
  }

  /// The ports of the head unit are those from 5000 on.
  private static let setUp =
    begin(0)
    + exchange(
      "SETUP", "/1", SessionSetUpRequest(values: ["timingPort": 6000]).bytes,
      SessionSetUpAnswer(values: ["eventPort": 5001, "timingPort": 5002, "keepAlivePort": 5003]).bytes)

  private static let streams =
    exchange(
      "SETUP", "/1",
      StreamList([
        StreamBody(values: ["type": 110, "streamConnectionID": 7]),
        StreamBody(values: ["type": 100, "streamConnectionID": 8, "audioType": "media"]),
      ]).bytes,
      StreamList([StreamBody(values: ["dataPort": 5004]), StreamBody(values: ["dataPort": 5005, "controlPort": 5006])])
        .bytes)
    + exchange("RECORD", "/1", [], [])

  private static let content: [UInt8] = {
    let command = RequestMessage(
      .request(method: "POST", path: "/command", protocolWord: "RTSP/1.0"),
      body: SessionCommand.iAP([0xFF, 0x55, 2, 0, 0xEE, 0x10]).body.binary)
    let configuration = [UInt8]([4, 0, 0, 0, 1, 0]) + [UInt8](repeating: 0, count: 122) + [1, 2, 3, 4]
    let clock = ClockPacket(isRequest: true, sent: 9)
    let sound = [0x80, 0x60, 0, 7] + [UInt8](repeating: 5, count: 40)
    return begin(1) + packet(.segment, 1, command.bytes, fromHeadUnit: true) + packet(.segment, 4, configuration)
      + packet(.datagram, 2, clock.bytes) + packet(.datagram, 5, sound) + packet(.datagram, 6, sound)
      + packet(.datagram, 3, [0]) + packet(.datagram, 2, clock.answer(received: 3, sent: 4).bytes)
  }()

  private static let end = exchange("TEARDOWN", "/1", [], []) + packet(.end, 0, [])

  private static let keyLog: [UInt8] = {
    let log = Array("CARPLAY_PAIR_VERIFY \(digits(1)) \(digits(2))\n".utf8)
    return UInt16(log.count).bigEndianBytes + log
  }()

  private static func digits(_ byte: Int) -> String { String(repeating: "0\(byte)", count: 32) }

  private static let pairing: [UInt8] = {
    func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }
    let sealed = [UInt8](repeating: 9, count: 40)
    return exchange(
      "POST", "/pair-verify", TLV8([(.state, [1]), (.publicKey, key(1))]).bytes,
      TLV8([(.state, [2]), (.publicKey, key(3)), (.encryptedData, sealed)]).bytes)
      + exchange(
        "POST", "/pair-verify", TLV8([(.state, [3]), (.encryptedData, sealed)]).bytes, TLV8([(.state, [4])]).bytes)
  }()

  /// A question for `_airplay._tcp.local`, and an answer with one instance.
  private static let bonjour: [UInt8] = {
    let service = [8] + Array("_airplay".utf8) + [4] + Array("_tcp".utf8) + [5] + Array("local".utf8) + [0]
    let instance = [3] + Array("Car".utf8) + [0xC0, 12]
    let answer = [0xC0, 12, 0, 12, 0, 1, 0, 0, 0, 9, 0, UInt8(instance.count)] + instance
    let question: [UInt8] = [0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0] + service + [0, 12, 0, 1]
    let both: [UInt8] = [0, 0, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 0] + service + [0, 12, 0, 1] + answer
    return packet(.bonjour, 0, question) + packet(.bonjour, 0, both, fromHeadUnit: true)
  }()
}
