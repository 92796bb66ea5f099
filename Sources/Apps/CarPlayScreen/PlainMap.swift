// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation

/// A plain map of a town that nobody has, for apps that draw none: streets on a bent grid, parks, a river, and a route.
///
/// The town has no end and is the same at each place, so the map pans.
package struct PlainMap: Sendable {
  package enum Kind: Sendable, Hashable, CaseIterable {
    // In the order in which they are drawn.
    case park, river, street, avenue, route, place
  }

  /// The lines, the corners of areas and the places, in points of the screen.
  private var shapes: [Kind: [[SymbolShape.Point]]] = [:]

  package func lines(of kind: Kind) -> [[SymbolShape.Point]] { shapes[kind] ?? [] }

  /// The distance of two streets in points. It gives a map of 1280 by 720 pixels about 500 segments.
  private static let block = 28.0
  /// Every fourth street is wide, and every thirtieth block has the river.
  private static let avenue = 4, river = 30
  /// The blocks from the place to the turn of the route, and to its ends.
  private static let turn = 3, end = 40
  /// The place is an avenue's crossing near the middle.
  private let middle: (column: Int, row: Int)
  private let shift: CGPoint

  /// The number of straight pieces of lines.
  package var segmentCount: Int { shapes.values.joined().reduce(0) { $0 + max(0, $1.count - 1) } }

  /// Creates the map of an area.
  package init(_ map: DrawnMap) {
    let box = map.box
    let moved = CGPoint(x: CarMap.bounded(map.map.moved.x), y: CarMap.bounded(map.map.moved.y))
    shift = CGPoint(x: moved.x + box.x, y: moved.y + box.y)
    let step = Double(Self.avenue) * Self.block
    middle = (
      column: Int((box.width * map.place / step).rounded()) * Self.avenue,
      row: Int((box.height * 0.6 / step).rounded()) * Self.avenue
    )
    let columns = Self.range(-moved.x, box.width)
    let rows = Self.range(-moved.y, box.height)
    for row in rows { for column in columns where Self.hash(column, row, 1) % 13 == 0 { addPark(column, row) } }
    for column in columns where Self.remainder(column, Self.river) == 7 {
      shapes[.river, default: []].append(rows.map { point(column, $0) })
    }
    for row in rows { addStreet(row, columns.map { ($0, row) }) }
    for column in columns { addStreet(column, rows.map { (column, $0) }) }
    if map.hasRoute { addRoute() }
  }

  /// The streets that an interval touches, and one on each side.
  private static func range(_ start: Double, _ length: Double) -> ClosedRange<Int> {
    let first = Int((start / block).rounded(.down)) - 1
    return first...first + Int((length / block).rounded(.up)) + 3
  }

  private static func remainder(_ number: Int, _ divisor: Int) -> Int { ((number % divisor) + divisor) % divisor }

  /// A number that looks random and is the same at each crossing.
  private static func hash(_ column: Int, _ row: Int, _ salt: Int) -> Int {
    var value = UInt32(truncatingIfNeeded: column &* 73_856_093 ^ row &* 19_349_663 ^ salt &* 83_492_791)
    value ^= value >> 13
    value = value &* 0x5BD1_E995
    return Int((value ^ value >> 15) & 0xFFFF)
  }

  /// A crossing. Wide streets are less bent.
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

  /// Adds a street without some of its pieces; a wide one is whole.
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

  /// Adds a route from below to the place, and on to the right.
  private mutating func addRoute() {
    let turn = middle.row - Self.turn
    let before = (turn...middle.row + Self.end).reversed().map { point(middle.column, $0) }
    let after = (middle.column + 1...middle.column + Self.end).map { point($0, turn) }
    shapes[.route] = [before + after]
    shapes[.place] = [[point(middle.column, middle.row)]]
  }
}
