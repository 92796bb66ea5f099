// swift-iap2 · Apache-2.0

import ArgumentParser

extension Color.Use: ExpressibleByArgument {}

/// The option of commands that print text.
struct ColorOptions: ParsableArguments {
  @Option(
    help: "Colors in the text: auto (default: on a terminal, unless NO_COLOR is set), always or never.")
  var color = Color.Use.auto

  func validate() throws { Output.setColor(color) }
}
