// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// Random commands, requests and bytes.
enum SimulatedActions {
  static func transfer(_ random: inout SeededGenerator) -> ModeTransfer {
    let priority = ModePriority.allCases.randomElement(using: &random) ?? .niceToHave
    func constraint() -> ModeConstraint { ModeConstraint.allCases.randomElement(using: &random) ?? .anytime }
    switch Int.random(in: 0..<4, using: &random) {
    case 0: return .take(priority, take: constraint(), borrow: constraint())
    case 1: return .untake
    case 2: return .borrow(priority, unborrow: constraint())
    default: return .unborrow
    }
  }

  static func modeRequest(_ random: inout SeededGenerator) -> ModeRequest {
    var items: [(ModeResource, ModeTransfer)] = []
    for resource in ModeResource.allCases where random.chance(0.6) { items.append((resource, transfer(&random))) }
    var request = ModeRequest(items, reason: random.chance(0.5) ? "reason" : "")
    if random.chance(0.3) {
      request.appStates.append(.speech(SpeechMode.allCases.randomElement(using: &random) ?? .none))
    }
    if random.chance(0.3) { request.appStates.append(.phoneCall(random.chance(0.5))) }
    if random.chance(0.3) { request.appStates.append(.turnByTurn(random.chance(0.5))) }
    return request
  }

  static func ofPhone(_ random: inout SeededGenerator) -> SessionCommand {
    let all: [SessionCommand] = [
      .duckAudio(decibels: -20, milliseconds: 300), .unduckAudio(milliseconds: 500),
      .disableBluetooth(deviceID: "02:00:00:00:00:02"), .requestUI(url: nil), .suggestUI(urls: ["maps:", "music:"]),
      .setInputMode(uuid: "1", mode: 2), .other(name: "unknown"),
    ]
    return all.randomElement(using: &random) ?? all[0]
  }

  static func ofHeadUnit(_ random: inout SeededGenerator) -> [SessionCommand] {
    let (x, y) = (Int.random(in: 0..<1280, using: &random), Int.random(in: 0..<720, using: &random))
    let display = SessionInfo.mainDisplay
    switch Int.random(in: 0..<10, using: &random) {
    case 0, 1: return [.changeModes(modeRequest(&random))]
    case 2: return InputAction.tap(x: x, y: y).commands(width: 1280, height: 720)
    case 3: return InputAction.drag(x: x, y: y, toX: y, toY: x).commands(width: 1280, height: 720)
    case 4: return InputAction.turn(Int8.random(in: -3...3, using: &random)).commands(width: 1280, height: 720)
    case 5: return InputAction.knob(.select).commands(width: 1280, height: 720)
    case 6: return [.requestSiri(.buttonDown), .requestSiri(.buttonUp)]
    case 7: return [.setNightMode(random.chance(0.5)), .setLimitedUI(random.chance(0.5))]
    case 8: return [.showUI(uuid: display, url: nil), .requestViewArea(uuid: display, index: 1, milliseconds: 200)]
    default: return [.forceKeyFrame(uuid: display), .other(name: "unknown"), .requestUI(url: "music:")]
    }
  }

  /// Returns a phone's request for a random stream.
  static func streamRequest(_ random: inout SeededGenerator) -> StreamRequest {
    switch StreamType.allCases.randomElement(using: &random) ?? .screen {
    case .mainAudio:
      let isVoice = random.chance(0.5)
      return StreamRequest(
        .mainAudio, format: .pcm(rate: isVoice ? 16_000 : 48_000, channels: isVoice ? 1 : 2),
        audioType: isVoice ? "telephony" : "media", wantsMicrophone: isVoice)
    case .alternateAudio: return StreamRequest(.alternateAudio, format: .pcm(rate: 48_000, channels: 2))
    case .mainHighAudio:
      return StreamRequest(.mainHighAudio, format: AudioFormat.all.first { $0.codec == .aacLC }, audioType: "media")
    case let type: return StreamRequest(type)
    }
  }

  /// Returns bytes of a hostile peer: noise, messages out of place, and messages over every limit.
  static func hostile(_ earlier: [[UInt8]], _ random: inout SeededGenerator) -> [UInt8] {
    let texts = [
      "GET /info RTSP/1.0\r\n\r\n", "OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n", "TEARDOWN / RTSP/1.0\r\n\r\n",
      "RECORD / RTSP/1.0\r\nCSeq: 9\r\n\r\n", "SETUP / RTSP/1.0\r\nContent-Length: 3\r\n\r\nabc",
      "POST /pair-verify RTSP/1.0\r\nContent-Length: 3\r\n\r\n\u{6}\u{1}\u{3}",
      "POST /pair-setup RTSP/1.0\r\nContent-Length: 6\r\n\r\n\u{0}\u{1}\u{0}\u{6}\u{1}\u{1}",
      "POST /feedback HTTP/1.1\r\n\r\n", "RTSP/1.0 200 OK\r\nCSeq: 1\r\n\r\n", "RTSP/1.0 404 Not Found\r\n\r\n",
      "POST /command RTSP/1.0\r\nContent-Length: 99999999999\r\n\r\n", "nothing of this kind\r\n\r\n",
    ]
    switch Int.random(in: 0..<200, using: &random) {
    case 0: return Array(repeating: 0x41, count: 70_000)
    case 1:
      // The case has many small requests that are together longer than the largest body.
      return Array(String(repeating: texts[1], count: 60_000).utf8)
    case 2..<80: return Array((texts.randomElement(using: &random) ?? "").utf8)
    case 80..<140: return earlier.randomElement(using: &random) ?? [0, 0]
    case 140..<150: return [0, 0] + (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    default:
      let count = Int.random(in: 1...200, using: &random)
      return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
  }
}
