// swift-iap2 · Apache-2.0

public import Foundation

/// An item of the app's content tree. Apps derive classes with items below.
open class MPContentItem: NSObject {
  /// The app's identifier.
  public let identifier: String
  /// The title.
  open var title: String?
  /// The text below the title.
  open var subtitle: String?
  /// The artwork.
  open var artwork: MPMediaItemArtwork?
  /// The played part from 0 to 1; negative to show none.
  open var playbackProgress: Float = -1
  /// Whether the content comes from the network.
  open var isStreamingContent = false
  /// Whether the content is explicit.
  open var isExplicitContent = false
  /// Whether the item has items below.
  open var isContainer = false
  /// Whether the item can be played. An item may be both.
  open var isPlayable = false

  /// Creates an item.
  public init(identifier: String) {
    self.identifier = identifier
    super.init()
  }
}
