// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation

/// A plain map of a fictional town, for apps that draw no map: streets on a bent grid, parks, a river, and a route.
///
/// The town has no border, and each place always looks the same, so the map can be panned.
package struct PlainMap: Sendable {
  package enum Kind: Sendable, Hashable, CaseIterable {
    // The cases are in the order of drawing.
    case park, river, street, avenue, route, place
  }

  /// The lines, the corners of areas and the places, in points of the screen.
  private var shapes: [Kind: [[SymbolShape.Point]]] = [:]

  package func lines(of kind: Kind) -> [[SymbolShape.Point]] { shapes[kind] ?? [] }

  /// The distance between two streets in points. A map of 1280 by 720 pixels then has about 500 segments.
  private static let block = 28.0
  /// The distances of the wide streets, and of the rivers, in blocks.
  private static let avenue = 4, river = 30
  /// The numbers of blocks from the car's position to the turn of the route, and to its ends.
  private static let turn = 3, end = 40
  /// The car's position: a crossing of avenues near the middle.
  private let middle: (column: Int, row: Int)
  private let shift: CGPoint

  /// The number of straight segments of all lines.
  package var segmentCount: Int { shapes.values.joined().reduce(0) { $0 + max(0, $1.count - 1) } }

  /// Creates the map of a box.
  ///
  /// - Parameter area: The part of the box whose streets are needed; nil for all of it.
  package init(_ map: DrawnMap, in area: Box? = nil) {
    let box = map.box
    let area = area ?? box
    let moved = CGPoint(x: CarMap.bounded(map.map.moved.x), y: CarMap.bounded(map.map.moved.y))
    shift = CGPoint(x: moved.x + box.x, y: moved.y + box.y)
    let step = Double(Self.avenue) * Self.block
    middle = (
      column: Int((box.width * map.place / step).rounded()) * Self.avenue,
      row: Int((box.height * 0.6 / step).rounded()) * Self.avenue
    )
    let columns = Self.range(area.x - box.x - moved.x, area.width)
    let rows = Self.range(area.y - box.y - moved.y, area.height)
    for row in rows { for column in columns where Self.hash(column, row, 1) % 13 == 0 { addPark(column, row) } }
    for column in columns where Self.remainder(column, Self.river) == 7 {
      shapes[.river, default: []].append(rows.map { point(column, $0) })
    }
    for row in rows { addStreet(row, columns.map { ($0, row) }) }
    for column in columns { addStreet(column, rows.map { (column, $0) }) }
    if map.hasRoute { addRoute() }
  }

  /// Returns the streets that an interval touches, and more on each side.
  private static func range(_ start: Double, _ length: Double) -> ClosedRange<Int> {
    let first = Int((start / block).rounded(.down)) - 1
    return first...first + Int((length / block).rounded(.up)) + 3
  }

  private static func remainder(_ number: Int, _ divisor: Int) -> Int { ((number % divisor) + divisor) % divisor }

  /// Returns a pseudorandom number that is always the same for a crossing.
  private static func hash(_ column: Int, _ row: Int, _ salt: Int) -> Int {
    var value = UInt32(truncatingIfNeeded: column &* 73_856_093 ^ row &* 19_349_663 ^ salt &* 83_492_791)
    value ^= value >> 13
    value = value &* 0x5BD1_E995
    return Int((value ^ value >> 15) & 0xFFFF)
  }

  /// Returns the point of a crossing. Wide streets are less bent.
  private func point(_ column: Int, _ row: Int) -> SymbolShape.Point {
    func bend(_ line: Int, _ salt: Int) -> Double {
      let room = Self.remainder(line, Self.avenue) == 0 ? 3.0 : 11
      return (Double(Self.hash(column, row, salt)) / 65_535 - 0.5) * room
    }
    return SymbolShape.Point(
      x: Double(column) * Self.block + bend(column, 2) + shift.x, y: Double(row) * Self.block + bend(row, 3) + shift.y)
  }

  private mutating func addPark(_ column: Int, _ row: Int) {
    let corners = [(column, row), (column + 1, row), (column + 1, row + 1), (column, row + 1)]
    shapes[.park, default: []].append(corners.map { point($0.0, $0.1) })
  }

  /// Adds a street without some of its segments. A wide street is complete.
  private mutating func addStreet(_ number: Int, _ crossings: [(column: Int, row: Int)]) {
    let isWide = Self.remainder(number, Self.avenue) == 0
    var points: [SymbolShape.Point] = []
    for (column, row) in crossings {
      points.append(point(column, row))
      guard !isWide, Self.hash(column, row, number % 2 + 4) % 9 == 0 else { continue }
      if points.count > 1 { shapes[.street, default: []].append(points) }
      points = []
    }
    if points.count > 1 { shapes[isWide ? .avenue : .street, default: []].append(points) }
  }

  /// Adds a route from below through the car's position, and then to the right.
  private mutating func addRoute() {
    let turn = middle.row - Self.turn
    let before = (turn...middle.row + Self.end).reversed().map { point(middle.column, $0) }
    let after = (middle.column + 1...middle.column + Self.end).map { point($0, turn) }
    shapes[.route] = [before + after]
    shapes[.place] = [[point(middle.column, middle.row)]]
  }
}
