/// Stops the process, in every build, when something that must hold does not, with a sentence.
///
/// `precondition` loses its message in optimised builds.
@inlinable
public func invariant(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString = #fileID, line: UInt = #line
) {
    if !condition() {
        fatalError("broken invariant: \(message())", file: file, line: line)
    }
}
