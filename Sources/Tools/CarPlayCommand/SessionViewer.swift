// swift-iap2 · Apache-2.0

import Basics
package import CarPlayControl
import CarPlayPrograms
package import CarPlaySession
import Synchronization

/// A viewer of a session. It takes the place of the lines on the standard output.
package struct SessionViewer: Sendable {
  /// A picture of a screen as H.264.
  package struct Picture: Sendable {
    package var type: StreamType
    /// Whether the picture stands alone. Its parameter sets are before it.
    package var isKeyFrame: Bool
    /// The NAL units behind start codes (Annex B).
    package var bytes: [UInt8]
  }

  let show: @Sendable (Picture) -> Void
  let showLine: @Sendable (CarLine) -> Void

  /// - Parameters:
  ///   - show: Receives each picture.
  ///   - showLine: Receives each line of the apps.
  package init(
    show: @escaping @Sendable (Picture) -> Void, showLine: @escaping @Sendable (CarLine) -> Void = { _ in }
  ) {
    (self.show, self.showLine) = (show, showLine)
  }
}

/// A sink that hands the pictures of a head unit's screens to a viewer.
final class ViewedPictures: MediaSink {
  private let viewer: SessionViewer
  /// The last parameter sets of each screen.
  private let parameterSets = Mutex<[StreamType: [UInt8]]>([:])

  init(_ viewer: SessionViewer) { self.viewer = viewer }

  func take(_ content: ReceivedContent, at time: MonotonicTime) {
    guard case .screen(let type, let bytes) = content else { return }
    switch bytes.kindOfUnit {
    case .parameterSets: parameterSets.withLock { $0[type] = bytes }
    case .keyFrame:
      let sets = parameterSets.withLock { $0[type] } ?? []
      viewer.show(SessionViewer.Picture(type: type, isKeyFrame: true, bytes: sets + bytes))
    case .picture: viewer.show(SessionViewer.Picture(type: type, isKeyFrame: false, bytes: bytes))
    }
  }
}
