// swift-iap2 · Apache-2.0

/// The requests of a connection that are not answered, each with its sequence number.
struct PendingRequests<Element: Sendable>: Sendable {
  private var requests: [(sequence: String?, element: Element)] = []

  /// The most requests that wait for an answer. A head unit answers in order, so older ones are not answered any more.
  private static var maximumCount: Int { 256 }

  /// The requests, the oldest first.
  var elements: some Sequence<Element> { requests.lazy.map(\.element) }

  /// The oldest request; nil if none waits.
  var oldest: Element? { requests.first?.element }

  /// Returns whether a request with a sequence number waits.
  func has(_ sequence: String?) -> Bool { requests.contains { $0.sequence == sequence } }

  mutating func add(_ element: Element, _ sequence: String?) {
    requests.append((sequence, element))
    if requests.count > Self.maximumCount { requests.removeFirst() }
  }

  /// Removes and returns the request of an answer: that of its sequence number, or else the oldest one.
  ///
  /// - Parameter isExact: Whether the number must be the same, because messages are missing. The requests before it then
  ///   count as answered.
  mutating func remove(answeredBy sequence: String?, isExact: Bool = false) -> Element? {
    if isExact {
      guard let sequence, let place = requests.firstIndex(where: { $0.sequence == sequence }) else { return nil }
      defer { requests.removeFirst(place + 1) }
      return requests[place].element
    }
    let place = sequence.flatMap { sequence in requests.firstIndex { $0.sequence == sequence } } ?? 0
    return requests.indices.contains(place) ? requests.remove(at: place).element : nil
  }
}
