// swift-iap2 · Apache-2.0

import ArgumentParser

extension Color.Use: ExpressibleByArgument {}

/// The option of commands that print text.
package struct ColorOptions: ParsableArguments {
  @Option(
    help: "Colors in the text: auto (default: on a terminal, unless NO_COLOR is set), always or never.")
  package var color = Color.Use.auto

  package init() {}

  package func validate() throws { Output.setColor(color) }
}
