/// Stops the process with a message if a condition does not hold, in every build.
///
/// Unlike `precondition`, it keeps its message in optimised builds.
@inlinable
public func invariant(
    _ condition: @autoclosure () -> Bool, _ message: @autoclosure () -> String,
    file: StaticString = #fileID, line: UInt = #line
) {
    if !condition() {
        fatalError("broken invariant: \(message())", file: file, line: line)
    }
}
