// swift-iap2 · Apache-2.0

import Basics
import CarPlayPrograms
import CarPlaySession
import Cryptography
import Foundation
import Synchronization
import Testing

/// The content that a head unit's program passes on. The film is that of the tests of CarPlaySession.
@Suite struct MediaSinkTests {
  private final class Kept: MediaSink {
    let bytes = Mutex<[UInt8]>([])

    func take(_ content: ReceivedContent, at time: MonotonicTime) {
      if case .screen(.screen, let more) = content { bytes.withLock { $0 += more } }
    }
  }

  private func session() throws -> HeadUnitSession {
    let identity = try PairingIdentity(identifier: "a car", privateKey: Secret(Array(0..<32)))
    let info = SessionInfo.standard(
      generation: .current, deviceID: "02:00:00:00:00:01", displays: [DisplaySettings(width: 160, height: 96)])
    return HeadUnitSession(
      HeadUnitConfiguration(identity: identity, info: info), random: { [UInt8](repeating: 7, count: $0) })
  }

  @Test func eachSinkGetsThePicturesAsAByteStream() throws {
    let path = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Protocol/CarPlaySessionTests/Fixtures/clip.h264")
    let clip = Array(try Data(contentsOf: path))
    let film = try Film(annexB: clip)
    let sinks = [Kept(), Kept()]
    var program = HeadUnitProgram(HeadUnitProgram.Settings(), sinks: sinks)
    var session = try session()
    for index in 0..<film.count {
      let picture = try film.picture(at: index)
      let frame = ScreenMessage(.frame, flags: ScreenMessage.h264Flags, body: picture.body)
      for message in [picture.configuration, frame].compactMap({ $0 }) {
        program.handle(.picture(.screen, message), &session, at: MonotonicTime.zero)
      }
    }
    let pictures = try AnnexB.accessUnits(of: clip).map(\.frameUnits)
    for sink in sinks {
      let units = try AnnexB.accessUnits(of: sink.bytes.withLock { $0 })
      #expect(units.map(\.frameUnits) == pictures && units.first?.parameterSets != nil)
    }
  }
}
