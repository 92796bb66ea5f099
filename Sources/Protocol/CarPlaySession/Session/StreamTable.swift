// swift-iap2 · Apache-2.0

/// The streams of one side, at most one of a type.
///
/// A packet changes its stream in place. A change of an array's element needs no allocation. The subscript of a
/// dictionary allocates its state for each change: three allocations of 3.7 KB were measured.
struct StreamTable<Stream: Sendable>: Sendable {
  /// The types, in the order of ``values``.
  private(set) var types: [StreamType] = []
  /// The streams. Only the methods of the table change their number.
  var values: [Stream] = []

  var isEmpty: Bool { types.isEmpty }

  /// Returns the place of a stream in ``values``.
  func place(of type: StreamType) -> Int? { types.firstIndex(of: type) }

  /// The stream of a type. A change through the subscript copies the stream.
  subscript(type: StreamType) -> Stream? {
    get { place(of: type).map { values[$0] } }
    set {
      let place = place(of: type)
      switch (place, newValue) {
      case (let place?, let value?): values[place] = value
      case (nil, let value?):
        types.append(type)
        values.append(value)
      case (let place?, nil):
        types.remove(at: place)
        values.remove(at: place)
      case (nil, nil): break
      }
    }
  }

  /// Removes and returns the stream of a type.
  mutating func remove(_ type: StreamType) -> Stream? {
    defer { self[type] = nil }
    return self[type]
  }
}
