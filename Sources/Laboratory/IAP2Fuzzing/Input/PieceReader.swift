// swift-iap2 · Apache-2.0

import CarPlaySession

/// A reader of a connection, whose bytes come in pieces of any size.
protocol PieceReader {
  associatedtype Element
  associatedtype Problem: Error
  mutating func add(_ piece: [UInt8])
  mutating func next() throws(Problem) -> Element?
}

extension PieceReader {
  /// Reads pieces.
  ///
  /// - Returns: What comes out of them, and the problem behind it; nil if there is none.
  func read(_ pieces: [[UInt8]]) -> (elements: [Element], problem: Problem?) {
    var reader = self
    var elements: [Element] = []
    do throws(Problem) {
      for piece in pieces {
        reader.add(piece)
        while let element = try reader.next() { elements.append(element) }
      }
      return (elements, nil)
    } catch { return (elements, error) }
  }
}

extension RequestReader: PieceReader {}
extension DataPackageReader: PieceReader {}
extension BufferedAudioOpener: PieceReader {}
extension ScreenOpener: PieceReader {}
