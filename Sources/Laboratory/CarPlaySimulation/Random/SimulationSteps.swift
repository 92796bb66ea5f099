// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// The actions of the owners, and the faults of a moment.
extension SessionSimulation {
  /// Performs a random action of an owner.
  mutating func act() {
    guard let index = phones.indices.first(where: { phones[$0].isLive }) else { return }
    switch Int.random(in: 0..<16, using: &random) {
    case 0...3:
      let request = SimulatedActions.streamRequest(&random)
      actPhone(index) { _ = $0.setUp(request, at: $1) }
    case 4:
      let types = phones[index].inspection.streams.keys.sorted { $0.rawValue < $1.rawValue }
      guard let type = types.randomElement(using: &random) else { return }
      actPhone(index) { $0.tearDown([type], at: $1) }
    case 5, 6: sendPictures(index)
    case 7, 8: sendSound(index)
    case 9: speak()
    case 10: sendIAP(index)
    case 11:
      let command = SimulatedActions.ofPhone(&random)
      actPhone(index) { _ = $0.send(command, at: $1) }
    case 12:
      let request = SimulatedActions.modeRequest(&random)
      actPhone(index) { _ = $0.change(request, at: $1) }
    default:
      for command in SimulatedActions.ofHeadUnit(&random) { _ = actHeadUnit { $0.send(command, at: $1) } }
    }
  }

  private mutating func sendPictures(_ index: Int) {
    for type in [StreamType.screen, .alternateScreen] where phones[index].isRunning(type) {
      if configured.insert(type).inserted {
        let message = ScreenMessage(
          .configuration, flags: ScreenMessage.h264Flags, width: 1280, height: 720, body: [1, 2, 3])
        actPhone(index) { $0.send(message, of: type, at: $1) }
      }
      for number in 0..<Int.random(in: 1...12, using: &random) {
        let size = random.chance(0.02) ? 60_000 : Int.random(in: 0...800, using: &random)
        let body = content.make(.picture(type), byteCount: size)
        let message = ScreenMessage(.frame, isKeyFrame: number == 0, time: UInt64(number), body: body)
        content.send(body, .picture(type))
        actPhone(index) { $0.send(message, of: type, at: $1) }
      }
    }
  }

  private mutating func sendSound(_ index: Int) {
    for type in [StreamType.mainAudio, .alternateAudio, .mainHighAudio] where phones[index].isRunning(type) {
      for _ in 0..<Int.random(in: 1...12, using: &random) {
        let payload = content.make(.sound(type), byteCount: Int.random(in: 0...300, using: &random))
        content.send(payload, .sound(type))
        actPhone(index) { $0.send(sound: payload, frameCount: 100, of: type, at: $1) }
      }
    }
    guard phones[index].isRunning(.bufferedAudio) else { return }
    for number in 0..<Int.random(in: 1...6, using: &random) {
      let payload = content.make(.sound(.bufferedAudio), byteCount: 300)
      content.send(payload, .sound(.bufferedAudio))
      let packet = AudioPacket(
        type: UInt8(StreamType.bufferedAudio.rawValue), sequence: UInt16(number), timestamp: 0, source: 1,
        payload: payload)
      actPhone(index) { phone, _ in
        do throws(BufferedAudioProblem) { try phone.send(buffered: packet) } catch {
          preconditionFailure("300 bytes fit a frame: \(error)")
        }
      }
    }
  }

  private mutating func speak() {
    for type in headUnit.microphoneStreams.map(\.type) {
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        let payload = content.make(.microphone(type), byteCount: 40)
        content.send(payload, .microphone(type))
        _ = actHeadUnit { headUnit, _ in headUnit.send(microphone: payload, frameCount: 20, of: type) }
      }
    }
  }

  private mutating func sendIAP(_ index: Int) {
    let size = random.chance(0.05) ? 20_000 : Int.random(in: 0...200, using: &random)
    if random.chance(0.5) {
      let bytes = content.make(.iAP(.phone), byteCount: size)
      content.send(bytes, .iAP(.phone))
      actPhone(index) { _ = $0.send(iAP: bytes, at: $1) }
    } else if headUnit.inspection.connection != nil {
      let bytes = content.make(.iAP(.headUnit), byteCount: size)
      content.send(bytes, .iAP(.headUnit))
      _ = actHeadUnit { $0.send(iAP: bytes, at: $1) }
    }
  }

  // MARK: Faults of a moment

  mutating func happen(_ moment: SimulationPlan.Moment) {
    let node = Int.random(in: 0...phones.count, using: &random)
    switch moment {
    case .cut: network.cut(node)
    case .silence: network.silent.insert(node)
    case .close: network.closeOne()
    case .lateness: network.faults.lateness[node] = Int64.random(in: 100_000_000...13_000_000_000, using: &random)
    case .injection: network.inject(SimulatedActions.hostile(earlier, &random), to: node)
    case .stranger: network.connectStranger(SimulatedActions.hostile(earlier, &random))
    case .stall:
      let end = FaultyNetwork.End(node: max(1, node), socket: .stream(.screen))
      network.setWritability(false, of: end)
      network.setWritability(true, of: end, in: Int64.random(in: 0...8_000_000_000, using: &random))
    case .stop:
      let reason = [SessionEnd.stopped, .linkLost, .teardown].randomElement(using: &random) ?? .stopped
      if node == 0 { actHeadUnit { $0.stop(reason, at: $1) } } else { actPhone(node - 1) { $0.stop(reason, at: $1) } }
    }
  }

  /// Checks that both sides have the same state once nothing is in transit.
  mutating func checkAgreement() {
    guard let index = phones.indices.first(where: { phones[$0].isLive }) else { return }
    let (own, other) = (phones[index].inspection, headUnit.inspection)
    // The head unit may have ended the session just now, for its clock for instance. The phone's end is checked later.
    guard other.connection != nil else { return }
    guard !own.isWaiting, !other.isWaiting else {
      return checks.violate(
        "a request of \(own.isWaiting ? "phone \(index)" : "the head unit") waits in a quiet session: "
          + "\(own.isWaiting ? phones[index].queues : headUnit.queues)")
    }
    if own.streams != other.streams {
      checks.violate("streams \(own.streams.keys) of the phone, \(other.streams.keys) of the head unit")
    }
    checks.requireModes(ModeSnapshot(phones[index].arbiter))
  }
}
