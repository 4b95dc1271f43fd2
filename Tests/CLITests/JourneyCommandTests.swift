import Parsing
import Testing

@testable import JagaCLI

@Suite struct `A journey on the command line` {
    @Test func `is rendered in lines`() throws {
        let sum = try JSON.parse(
            """
            {"id":"jny_1","name":"Hill","started":"A","stopped":null,"points":7,"distance":1234.56,
             "duration":3909,"movingTime":3309.4,"stopCount":1,
             "stops":[{"from":"B","to":"C","lat":1.5,"lon":2.5}],
             "notes":[{"id":"not_1","time":"D","text":"tea"}],
             "photos":[{"id":"pho_1","time":"E","lat":3,"lon":4}]}
            """)
        let lines = JourneyCommand.lines(of: sum)
        #expect(lines[0] == "jny_1 Hill" && lines[1] == "from A until now")
        #expect(
            lines[2] == "1235 m along 7 points in 1:05:09, 0:55:09 moving, 1 stops")
        #expect(lines[3].contains("B to C at 1.5, 2.5"))
        #expect(lines[4].hasSuffix("tea") && lines[5].hasSuffix("pho_1"))
    }

    @Test func `times have two digits after the hours`() {
        #expect(JourneyCommand.text(seconds: 0) == "0:00:00")
        #expect(JourneyCommand.text(seconds: 59.6) == "0:01:00")
        #expect(JourneyCommand.text(seconds: 100_000) == "27:46:40")
    }
}
