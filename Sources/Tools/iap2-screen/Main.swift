// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation

/// The program that draws pictures of a car's screen. `iap2 car` starts it.
@main
struct ScreenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "iap2-screen", abstract: "Draw pictures of a car's screen.",
    discussion: """
      Reads one order as JSON from each line of the input: the screen, the car's look, and the format: png, svg, sixel, \
      pixels or h264. Answers each with a line, which has the problem, or the size of the picture and the texts that do \
      not fit. The bytes of the picture follow.
      """)

  @Option(
    help:
      "Draw each order this many times in memory, and answer with the processor's milliseconds of a layout and a frame."
  )
  var measure: Int?

  func run() throws {
    #if Screen
      guard let canvas = Canvas() else { throw ScreenProblem("no font of Noto is installed") }
      if let measure {
        guard (1...100_000).contains(measure) else { throw ScreenProblem("--measure takes 1 to 100000") }
        while let line = readLine() { print(try canvas.measure(Data(line.utf8), count: measure)) }
        return
      }
      while let line = readLine() {
        let answer = canvas.answer(Data(line.utf8))
        FileHandle.standardOutput.write(answer)
      }
    #else
      throw ScreenProblem("this program was built without the trait Screen; tools/iap2 builds it with the trait")
    #endif
  }
}

/// A reason why nothing is drawn.
struct ScreenProblem: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
