// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2Capture

extension FindingTree {
  /// Creates the tree of a property list. The keys of a dictionary have no order, so they are sorted.
  init(_ value: PropertyValue) {
    self =
      switch value {
      case .bool(let value): .value(.flag(value))
      case .integer(let number): .value(.integer(Int128(number)))
      case .unsigned(let number): .value(.integer(Int128(number)))
      case .real(let number): .value(.real(number))
      case .text(let text): .value(.text(text))
      case .data(let bytes): .value(.bytes(bytes))
      case .array(let values): .list(values.map(FindingTree.init))
      case .dictionary(let values):
        .group(values.sorted { $0.key < $1.key }.map { Entry($0.key, FindingTree($0.value)) })
      }
  }

  /// Creates the tree of the items of pairing.
  init(_ list: TLV8) {
    self = .group(
      list.items.map { item in
        let kind = TLV8.Kind(rawValue: item.type)
        let value: FindingValue =
          switch kind {
          case .identifier: .text(String(decoding: item.value, as: UTF8.self))
          case .method, .state, .error, .permissions, .flags, .retryDelay:
            item.value.count == 1 ? .integer(Int128(item.value[0])) : .bytes(item.value)
          default: .bytes(item.value)
          }
        return Entry(kind.map { "\($0)" } ?? "type\(item.type)", .value(value))
      })
  }

  /// Returns the tree with an entry behind the one of a name.
  func adding(_ entry: Entry, behind name: String) -> FindingTree {
    guard case .group(var entries) = self else { return self }
    let place = entries.firstIndex { $0.name == name }.map { $0 + 1 } ?? entries.count
    entries.insert(entry, at: place)
    return .group(entries)
  }
}
