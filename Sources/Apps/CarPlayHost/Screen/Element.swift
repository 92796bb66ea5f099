// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform

/// A part of the screen with the effect of a tap on it.
@MainActor
struct Element {
  var node: ScreenNode
  var children: [Element]
  /// The effect of a tap, or of a press of the knob with the focus on the part. Without one the part takes no focus.
  var action: (@MainActor () -> Void)?
  /// The order of the focus between the parts of a screen: bars, content, map buttons, tabs (HIG, W16, W19).
  var focusGroup = 1
  /// The numbers of the reports about the part, such as the reason why a text is cut.
  var reports: [Int] = []
  /// The app's texts for the part. The screen may show one of them shortened.
  private var given: [String]

  /// Creates a part.
  ///
  /// - Parameters:
  ///   - node: The part as it is shown.
  ///   - texts: The texts of the app in the part, so that a tap finds the part by them on every car.
  init(
    _ node: ScreenNode, _ texts: FittedText?..., children: [Element] = [], focusGroup: Int = 1,
    action: (@MainActor () -> Void)? = nil
  ) {
    self.node = node
    // Every text on the screen passes through here, so no part shows a text exactly as an app gave it.
    self.node.title = FittedText.plain(node.title)
    self.node.detail = FittedText.plain(node.detail)
    self.node.marks = node.marks.map { $0.withTexts(FittedText.plain) }
    given = texts.flatMap { $0?.given ?? [] }
    self.children = children
    self.focusGroup = focusGroup
    self.action = action
  }

  /// Returns the part with further reports about it.
  func with(reports: [Int]) -> Element {
    var part = self
    part.reports += reports
    return part
  }

  /// Returns whether the part shows a text, or has a text of the app that is shortened or replaced by a shorter
  /// variant.
  func isCalled(_ text: String) -> Bool { node.title == text || node.detail == text || given.contains(text) }

  /// This part and every part inside it, the outer ones first.
  var all: [Element] { [self] + children.flatMap(\.all) }

  /// The parts that react to a tap.
  var reacting: [Element] { all.filter { $0.action != nil && $0.node.isEnabled } }

  /// The parts that can have the focus, in their order.
  var focusable: [Element] {
    reacting.enumerated().sorted {
      ($0.element.focusGroup, $0.offset) < ($1.element.focusGroup, $1.offset)
    }.map(\.element)
  }

  /// Returns the tree as values. The focus goes to the part with the given index among the focusable ones.
  func screen(focus: Int?) -> ScreenNode {
    guard let focus else { return values(focused: nil) }
    let order = reacting.enumerated().sorted {
      ($0.element.focusGroup, $0.offset) < ($1.element.focusGroup, $1.offset)
    }.map(\.offset)
    guard order.indices.contains(focus) else { return values(focused: nil) }
    return values(focused: order[focus])
  }

  private func values(focused: Int?) -> ScreenNode {
    var count = 0
    return values(focused, &count)
  }

  /// Converts the tree and counts the reacting parts, in the order of the tree.
  private func values(_ focused: Int?, _ count: inout Int) -> ScreenNode {
    var node = node
    if action != nil, node.isEnabled {
      node.isFocused = count == focused
      count += 1
    }
    node.children = children.map { $0.values(focused, &count) }
    return node
  }
}

extension ScreenMark {
  /// Returns the mark of the played share of content, from 0 to 1.
  static func progress(_ share: some BinaryFloatingPoint) -> ScreenMark {
    .progress(Int((Double(min(share, 1)) * 100).rounded()))
  }
}
