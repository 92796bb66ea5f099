// swift-iap2 · Apache-2.0

import Cryptography

/// The two directions of a data stream on one side, as encrypted frames of packages. Source:
/// CarPlaySession.md#data-package.
struct DataChannel: Sendable {
  private var opener: FrameOpener
  private var sealer: FrameSealer
  private var reader = DataPackageReader()
  /// The sequence number of the next package with data.
  private var nextSequence: UInt64 = 0

  init(reading: Secret, writing: Secret) {
    opener = FrameOpener(key: reading)
    sealer = FrameSealer(key: writing)
  }

  /// Processes bytes of the other side.
  mutating func receive(_ bytes: [UInt8]) throws(SessionFailure) {
    do throws(FrameOpener.WrongFrame) { reader.add(try opener.open(bytes)) } catch { throw SessionFailure(.badFrame) }
  }

  /// Returns the data of the next package, if it has any, and the bytes of the reply that it requests; nil until more
  /// bytes arrive.
  mutating func next() throws(SessionFailure) -> (data: [UInt8]?, reply: [UInt8]?)? {
    do throws(DataPackageProblem) {
      guard let package = try reader.next() else { return nil }
      let data = package.data
      guard let reply = package.reply else { return (data, nil) }
      return (data, sealer.seal(try reply.bytes()))
    } catch { throw SessionFailure(.badData, error.valueProblem) }
  }

  /// Returns the bytes of a package with data.
  mutating func seal(_ data: [UInt8]) throws(DataPackageProblem) -> [UInt8] {
    let package = try DataPackage(sequence: nextSequence, body: data).bytes()
    nextSequence += 1
    return sealer.seal(package)
  }
}
