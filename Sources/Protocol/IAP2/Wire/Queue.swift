// swift-iap2 · Apache-2.0

/// A queue whose first element is removed in constant time on average. An array moves all others for that.
struct Queue<Element: Sendable>: Sendable {
  private var elements: [Element?] = []
  private var head = 0

  /// The removed elements whose places are kept before the others move up.
  private static var maximumKept: Int { 64 }

  var isEmpty: Bool { head == elements.count }
  /// The elements and the places of removed ones.
  var placeCount: Int { elements.count }
  var first: Element? { isEmpty ? nil : elements[head] }

  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes the first element, if there is one. Its place is freed when half of the places are free.
  mutating func removeFirst() {
    guard !isEmpty else { return }
    elements[head] = nil
    head += 1
    guard isEmpty || head > Self.maximumKept && head * 2 >= elements.count else { return }
    elements.removeFirst(head)
    head = 0
  }

  mutating func removeAll() { self = Queue() }
}
