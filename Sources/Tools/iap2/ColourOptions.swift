// swift-iap2 · Apache-2.0

import ArgumentParser

extension Colour.Use: ExpressibleByArgument {}

/// The option of commands that print text.
struct ColourOptions: ParsableArguments {
  @Option(
    help: "Colors in the text: auto (default: on a terminal, unless NO_COLOR is set), always or never.")
  var color = Colour.Use.auto

  func validate() throws { Output.setColour(color) }
}
