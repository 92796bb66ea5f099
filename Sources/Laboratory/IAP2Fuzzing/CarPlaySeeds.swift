// swift-iap2 · Apache-2.0

import CarPlaySession

/// The first inputs of the targets for CarPlay sessions.
enum CarPlaySeeds {
  static let all: [FuzzTarget: [String: [UInt8]]] = [
    .carPlayPairing: pairing, .carPlayRequest: requests, .carPlayPropertyList: lists, .carPlayBody: lists,
    .carPlayFrame: frames, .carPlayScreen: screens, .carPlayAudio: audio, .carPlayBuffered: frames,
    .carPlayPackage: packages, .carPlayInput: inputs, .carPlayVideo: videos, .carPlayHeadUnit: headUnits,
    .carPlayPhone: phones, .carPlayCapture: CarPlayCaptureSeeds.all,
  ]

  private static let pairing: [String: [UInt8]] = [
    "verified": [6, 1, 4],
    "start": TLV8([(.method, [0]), (.state, [1])]).bytes,
    "key": TLV8([(.state, [2]), (.publicKey, [UInt8](repeating: 1, count: 384)), (.salt, [2, 3])]).bytes,
    "separated": [1, 1, 65, 0xFF, 0, 1, 1, 66], "unknown-twice": [0x20, 1, 1, 0x20, 1, 2],
  ]

  private static let requests: [String: [UInt8]] = {
    let setUp = RequestMessage(
      .request(method: "SETUP", path: "rtsp://carplay/1", protocolWord: "RTSP/1.0"),
      headers: RequestHeaders([("CSeq", "3"), ("User-Agent", "AirPlay/745.83")]), body: [1, 2, 3])
    let lines = [
      "question": "GET /info?a=b HTTP/1.1\r\n\r\n", "answer": "RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n",
      "no-reason": "RTSP/1.0 404\r\nA:b\r\n\r\n", "bad-length": "POST / RTSP/1.0\r\nContent-Length: -1\r\n\r\n",
      "too-long": "POST / RTSP/1.0\r\nContent-Length: 99999999\r\n\r\n",
      "mark": "POST / RTSP/1.0\r\nA:\t\u{301}b\r\n\r\n",
    ]
    var seeds = lines.mapValues { [2, 3, 5] + Array($0.utf8) }
    seeds["set-up"] = [1, 7] + setUp.bytes + setUp.answer(200).bytes
    return seeds
  }()

  private static let lists: [String: [UInt8]] = {
    var seeds: [String: [UInt8]] = [
      "numbers": PropertyValue.array([
        .integer(-1), .integer(300), .unsigned(.max), .real(.nan), .real(-0.0), .bool(true), .text("Grüße"),
      ]).binary,
      "set-up": SessionSetUpRequest(values: ["timingPort": 5000, "timingProtocol": "NTP", "features": ["hevc"]]).bytes,
      "answer": SessionSetUpAnswer(values: ["eventPort": 1, "enabledFeatures": ["hevc"]]).bytes,
      "modes": ModeSnapshot(ModeArbiter(), reason: "radio").propertyValue.binary,
      "stream": StreamList([StreamBody(values: ["type": 100, "streamConnectionID": .unsigned(.max), "input": true])])
        .bytes,
    ]
    let borrow = ModeTransfer.borrow(.userInitiated, unborrow: .never)
    let request = ModeRequest([(.screen, .take(.niceToHave, take: .anytime, borrow: .never)), (.mainAudio, borrow)])
    let commands: [SessionCommand] = [
      .changeModes(request), .modesChanged(ModeSnapshot(ModeArbiter())), .duckAudio(decibels: -20, milliseconds: 300),
      .suggestUI(urls: ["maps:"]), .iAP([0xFF, 0x55]), .inputReport(device: "1", report: [1, 2]),
      .requestSiri(.buttonDown), .showUI(uuid: "a", url: "b"), .requestViewArea(uuid: "a", index: 1, milliseconds: 2),
      .setInputMode(uuid: "a", mode: 1), .changeMapZoomLevel(uuid: "a", direction: -1), .other(name: "unknown"),
    ]
    for command in commands { seeds["command-\(command.name)"] = command.body.binary }
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 800, height: 480)])
    seeds["info"] = info.bytes
    return seeds
  }()

  private static let frames: [String: [UInt8]] = [
    "short": [2, 3, 5, 0, 1, 1, 2, 3], "long": [1, 200, 4, 9] + [UInt8](repeating: 65, count: 2500),
    "empty": [0, 0, 0], "bytes": [1, 1, 0, 0, 0, 40] + (0..<80).map { UInt8($0) },
  ]

  private static let screens: [String: [UInt8]] = [
    "frames": [2, 100, 7, 1, 0, 0, 3, 1, 2, 3, 0x40, 1, 1, 5, 1, 2, 3, 4, 5, 2, 0, 0, 0, 6, 0, 0, 1, 9],
    "raw": [1, 50, 0xFF] + [UInt8](repeating: 0, count: 130),
    "statistics": [1, 3, 5, 0, 0, 2, 1, 1, 0, 0, 0, 1, 7],
    "too-long": [0, 0xFF, 255, 255, 255, 255] + [UInt8](repeating: 0, count: 124),
  ]

  private static let audio: [String: [UInt8]] = [
    "order": [0, 0, 1, 1, 2, 3, 0, 0, 3, 1, 2, 3, 0, 0, 2, 9, 9, 9, 5, 4, 1, 44, 2, 0, 3, 1],
    "restart": [0, 0, 1, 1, 1, 1, 0, 200, 0, 1, 1, 1, 0, 200, 1, 1, 1, 1, 5, 4, 2, 0],
    "wrap": [0, 255, 255, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 255, 254, 1, 1, 1],
    "control": [6, 8, 0x80, 0xD5, 0, 1, 0, 1, 0, 64, 6, 20, 0x90, 0xD4, 0, 7] + [UInt8](repeating: 1, count: 16),
    "clock": [6, 32, 0x80, 0xD2, 0, 7] + [UInt8](repeating: 3, count: 28),
  ]

  private static let packages: [String: [UInt8]] = {
    let header: [UInt8] = [0, 0, 0, 34] + Array("sync".utf8) + [UInt8](repeating: 0, count: 8) + Array("comm".utf8)
    let sync = header + [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0xFF, 0x55]
    var reply = sync
    reply.replaceSubrange(4..<8, with: Array("rply".utf8))
    return [
      "sync": [2, 5, 30] + sync, "two": [1, 33] + sync + reply, "too-short": [0, 0, 0, 0, 3, 1],
      "too-long": [0, 255, 0, 0, 0, 1],
    ]
  }()

  private static let inputs: [String: [UInt8]] = {
    let devices: [(String, InputDevice, [[UInt8]])] = [
      ("touch", .touchScreen(width: 1280, height: 720), [[0, 1, 10, 0, 20, 0, 1, 0, 0, 0, 0, 0]]),
      ("knob", .knob(), [[1, 5, 251, 2], [0, 0, 0, 0]]), ("media", .mediaKeys(), [[1], [0], [1, 0]]),
      ("phone", .telephonyKeys(), [[1], [0], [1, 0]]),
    ]
    return Dictionary(
      uniqueKeysWithValues: devices.map { name, device, reports in
        let count = device.descriptor.count
        return (
          name,
          [UInt8(count >> 8), UInt8(count & 255)] + device.descriptor + reports.flatMap { [UInt8($0.count)] + $0 }
        )
      })
  }()

  private static let videos: [String: [UInt8]] = {
    let sequence: [UInt8] = [0x67, 0x42, 0xC0, 0x1E, 0xDA, 0x02, 0x80, 0xF6, 0x80]
    let picture: [UInt8] = [0x68, 0xCE, 0x3C, 0x80]
    let slice: [UInt8] = [0x65, 0x88, 0x84]
    let record: [UInt8] = [1, 0x42, 0xC0, 0x1E, 0xFF, 0xE1, 0, 9] + sequence + [1, 0, 4] + picture
    let stream = [sequence, picture, slice, [0x41, 0x9A]].flatMap { [0, 0, 0, 1] + $0 }
    return [
      "record": [0] + record, "box": [0, 0, 0, 0, UInt8(8 + record.count)] + Array("avcC".utf8) + record,
      "stream": [1] + stream, "three": [1, 0, 0, 1] + slice + [0, 0, 1, 9, 16, 0, 0, 1] + slice,
      "frame": [8, 0, 0, 0, 3] + slice, "short-lengths": [2, 3] + slice + [0, 2, 0x41, 0x9A],
      "word": [5, 0, 3] + slice,
    ]
  }()

  /// Programs of ``CarPlaySessionTarget``: the state, then steps.
  private static let headUnits: [String: [UInt8]] = [
    "set-up-clear": [0x80, 2, 0, 3, 8, 8, 7, 3, 2, 1, 0, 10, 10, 2, 2, 0],
    "verified": [1, 2, 0, 3, 8, 8, 7, 3, 2, 1, 0, 2, 3, 7, 2, 0, 2, 110, 1, 9, 8, 12, 4, 2, 1, 2],
    "abandoned": [1, 2, 0, 11, 8, 6, 1, 8, 8], "refused-bind": [1, 2, 0, 3, 0x88, 10],
    "live": [2, 12, 4, 3, 1, 2, 3, 12, 0, 2, 9, 9, 12, 1, 2, 1, 1, 12, 9, 1, 7, 12, 3, 1, 5, 12, 2, 2, 0, 0, 2, 2, 0],
    "live-events": [2, 13, 1, 0, 5, 0x80, 0, 1, 4, 3, 1, 2, 3, 6, 3, 10, 10, 10],
    "live-silent": [2, 11, 255, 255, 10, 10, 10], "floods": [0, 0, 1, 60] + [UInt8](repeating: 65, count: 60),
    "signature": [0x80, 2, 6, 1, 33, 1] + [UInt8](repeating: 9, count: 32) + [9, 2, 0, 3],
    "lists": [2, 2, 0, 6, 0x16, 0, 0x15, 0x46, 1, 0, 130, 2, 2, 3, 0, 4, 2, 3, 6, 0x26, 1, 3, 4, 6],
  ]

  private static let phones: [String: [UInt8]] = [
    "refused": [0, 2, 0x83, 0, 1, 10], "verified": [1, 2, 0x80, 4, 9, 3, 8, 10, 10],
    "live": [2, 5, 3, 5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 5, 3, 7, 12, 1, 3, 1, 2, 3, 13, 7, 0, 2, 0x80, 0, 9],
    "stalled": [2, 0x8E, 13, 3, 3, 1, 2, 3, 13, 3, 1, 1, 10, 14, 10], "silent": [2, 10, 10, 10, 10, 10, 10, 10, 10],
    "again": [2, 13, 4, 0, 13, 5, 0, 2, 0x80, 2, 110, 1, 9, 10, 7, 6, 13, 7, 0],
    "closed": [2, 6, 6, 10], "clear": [0x82, 5, 3, 7, 6, 3], "bad-list": [2, 2, 0x80, 6, 0x26, 0, 2, 1, 5, 9],
  ]
}
