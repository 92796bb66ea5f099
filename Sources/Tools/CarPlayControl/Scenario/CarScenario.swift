// swift-iap2 · Apache-2.0

public import CarPlayPlatform

/// A script of steps for a car with an app in it.
public struct CarScenario: Sendable {
  /// A step with its place.
  public struct Step: Sendable {
    /// The work of a step.
    public enum Work: Sendable {
      /// A step of the driver, the car or the phone.
      case action(CarAction)
      /// An expectation.
      case expect(CarExpectation)
    }

    /// The work.
    public var work: Work
    /// The file.
    public var file: String
    /// The line from 1; nil if it is unknown.
    public var line: Int?

    /// The file and the line.
    public var place: String { line.map { "\(file):\($0)" } ?? file }
  }

  /// The name.
  public var name: String
  /// The purpose in one line.
  public var summary: String
  /// The path of the app, relative to the folder of the scenario's file; nil for a scenario that fits any app.
  public var app: String?
  /// The arguments of the app.
  public var arguments: [String] = []
  /// The name of a profile of the package, or of a profile's file; nil for the standard car.
  public var car: String?
  /// The settings of the car's behavior that are changed, by name.
  package var behavior: [String: CarValue] = [:]
  /// The seed of all random choices.
  public var seed: Int
  /// The steps.
  public var steps: [Step]
}
