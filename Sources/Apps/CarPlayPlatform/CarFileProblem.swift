// swift-iap2 · Apache-2.0

public import Basics

/// A fault in a file that describes an app, a car or a scenario, with its place.
public typealias CarFileProblem = FileProblem
