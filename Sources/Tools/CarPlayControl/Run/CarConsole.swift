// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Glibc

/// A car that the user drives by keys on a terminal.
public struct CarConsole {
  private let run: CarRun
  private let print: (String, CarTone) -> Void
  /// The keys that the user pressed before the start.
  var keys: [UInt8] = []

  /// Creates a console.
  ///
  /// - Parameters:
  ///   - run: The app with its car.
  ///   - print: A closure that prints a line.
  public init(_ run: CarRun, print: @escaping (String, CarTone) -> Void) {
    self.run = run
    self.print = print
  }

  /// Runs until the user quits, the input ends, or the app ends.
  ///
  /// - Parameter input: The descriptor of the keys. During the run a terminal delivers each key immediately.
  public func play(input: Int32 = 0) throws(CarFailure) {
    let terminal = RawTerminal(input)
    defer { terminal?.restore() }
    for line in ConsoleState.help { print(line, .dim) }
    // The head unit on a transport may connect later.
    let first: CarVerb = run.carrier == nil ? .launch : .start
    if first == .start {
      print("the phone is on the transport: o opens the app when the head unit has connected", .dim)
    }
    try perform(CarAction(first, ["phoneScene": .flag(true)]))
    var state = ConsoleState()
    var bytes = keys
    while true {
      for key in ConsoleKey.take(from: &bytes) {
        switch state.take(key, run.car.state) {
        case .action(let action): try perform(action)
        case .help: for line in ConsoleState.help { print(line, .dim) }
        case .say(let text): for line in text.split(separator: "\n") { print(String(line), .dim) }
        case .quit: return
        case nil: break
        }
      }
      try run.waitForInput(input)
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = unsafe read(input, &buffer, buffer.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      guard count > 0 else { return }
      bytes += buffer[..<count]
    }
  }

  private func perform(_ action: CarAction) throws(CarFailure) {
    let before = run.car.state
    if let problem = try run.perform(action) { print(problem, .failure) }
    let car = run.car.state
    guard run.display == nil, car.screen != before.screen || car.reacting != before.reacting else { return }
    for line in ConsoleState.marked(car) { print(line, .screen) }
  }
}
