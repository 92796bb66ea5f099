// swift-iap2 · Apache-2.0

// The problems of files and the readers of named files are part of this module's interface.
@_exported public import Basics
@_exported public import YAMLForms
