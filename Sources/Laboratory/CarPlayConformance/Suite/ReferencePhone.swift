// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession

/// The program of the phone in memory: a film, music, a data stream and buffered music, and the pairings for the next
/// session.
struct ReferencePhone: SessionProgram {
  private var program: PhoneProgram
  /// The keys of the paired head units.
  private(set) var paired: [String: [UInt8]]

  init(_ settings: PhoneProgram.Settings, paired: [String: [UInt8]]) {
    (program, self.paired) = (PhoneProgram(settings), paired)
  }

  mutating func handle(_ event: SessionEvent, _ machine: inout PhoneSession, at time: MonotonicTime) {
    program.handle(event, &machine, at: time)
    switch event {
    case .paired(let headUnit): paired[headUnit.identifier] = headUnit.publicKey
    case .state(.live):
      machine.setUp(StreamRequest(.data), at: time)
      machine.setUp(
        StreamRequest(.bufferedAudio, format: AudioFormat.all.first { $0.codec == .aacLC }), at: time)
    case .stream(.data, .running, _): machine.send(iAP: [0xFF, 0x55, 2, 0, 0xEE, 0x10], at: time)
    case .stream(.bufferedAudio, .running, _):
      let packet = AudioPacket(type: 103, sequence: 0, timestamp: 0, source: 1, payload: [0x21, 0x10, 4, 0x60, 0x8C])
      do throws(BufferedAudioProblem) { try machine.send(buffered: packet) } catch {}
    default: break
    }
  }

  mutating func handleDeadline(_ machine: inout PhoneSession, at time: MonotonicTime) {
    program.handleDeadline(&machine, at: time)
  }

  var nextDeadline: MonotonicTime? { program.nextDeadline }
}
