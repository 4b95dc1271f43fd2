import Model
import NotifierCore
import Testing

struct TextTests {
    private static let now = Timestamp("2026-11-20T02:20:00Z")!
    private static let place = Place(
        Fix(
            time: now - .seconds(120), position: Coordinate(latitude: 3.139, longitude: 101.6869)!,
            accuracyCentimetres: 1150))

    private func setting(
        _ language: Language = .english, who: String = "Aisha", offset: Int? = 8 * 3600
    ) -> Reader {
        Reader(
            language: language, who: who, circle: "Family", reference: "4711", now: Self.now,
            offsetSeconds: offset)
    }

    private func alarm(note: String? = nil) -> NoticeContent {
        .alarm(
            Alarm(
                trigger: .panic, raised: Self.now, place: Self.place, battery: 34, note: note),
            .first)
    }

    @Test func `an alarm by SMS says who, what, when, where, how accurate, how to respond`() {
        let text = Composer(setting()).render(alarm(), on: .sms).text
        #expect(
            text == "SOS Aisha: panic button, 10:20."
                + " https://osm.org/?mlat=3.13900&mlon=101.68690"
                + " within 12 m, 10:18. Battery 34%. Respond in Jaga, ref 4711.")
        #expect(SMSText(text).segments == 1)
    }

    @Test func `an alarm by mail has a subject and lines`() {
        let mail = Composer(setting()).render(alarm(note: "at the bridge"), on: .email)
        #expect(mail.subject == "SOS Aisha: panic button, 10:20")
        #expect(
            mail.text == """
                SOS Aisha: panic button, 10:20.
                https://osm.org/?mlat=3.13900&mlon=101.68690

                Position 3.13900, 101.68690.
                Within 12 m, 10:18.
                Battery 34%.
                Note: at the bridge.
                Respond in Jaga, ref 4711.

                You get this as a member of Family.

                """)
    }

    @Test func `a zone notification in three languages`() {
        let content = NoticeContent.zone(.entered, zone: "School", at: Self.now, place: nil)
        let texts = Language.allCases.map {
            Composer(setting($0)).render(content, on: .sms).text
        }
        #expect(
            texts == [
                "Jaga: Aisha entered School, 10:20.", "Jaga: Aisha tiba di School, 10:20.",
                "Jaga: Aisha tiba di School, 10:20.",
            ])
    }

    @Test(arguments: [
        (
            Language.english, "Jaga: Aisha was not at School by 10:20.",
            "Jaga: Aisha: no contact since 07:40 (School, 10:20)."
        ),
        (
            .malay, "Jaga: Aisha tiada di School pada 10:20.",
            "Jaga: Aisha: tiada hubungan sejak 07:40 (School, 10:20)."
        ),
        (
            .indonesian, "Jaga: Aisha tidak ada di School pukul 10:20.",
            "Jaga: Aisha: tidak ada kontak sejak 07:40 (School, 10:20)."
        ),
    ])
    func `an absence is only claimed while there is contact`(
        language: Language, absent: String, silent: String
    ) {
        let seen = Timestamp("2026-11-19T23:40:00Z")!
        func text(_ hasContact: Bool, _ seen: Timestamp?) -> String {
            Composer(setting(language)).render(
                .absent(
                    zone: "School", by: Self.now, hasContact: hasContact, seen: seen,
                    place: nil), on: .sms
            ).text
        }
        #expect(text(true, seen) == absent)
        #expect(text(false, seen) == silent)
        #expect(!text(false, nil).contains("07:40") && text(false, nil).contains("School"))
    }

    @Test func `a stay by an old fix shows its age in three languages`() {
        let content = NoticeContent.zone(
            .staysUnseen(minutes: 116), zone: "School", at: Self.now, place: nil)
        let texts = [Language.english, .malay, .indonesian].map {
            Composer(setting($0)).render(content, on: .sms).text
        }
        #expect(
            texts == [
                "Jaga: Aisha is still in School, last position 116 min ago, 10:20.",
                "Jaga: Aisha masih berada di School, kedudukan terakhir 116 minit lalu, "
                    + "10:20.",
                "Jaga: Aisha masih berada di School, posisi terakhir 116 menit lalu, "
                    + "10:20.",
            ])
    }

    @Test(arguments: Language.allCases)
    func `zone notifications fit one segment, whatever happened and however long the name`(
        language: Language
    ) {
        for what in ZoneContent.allCases {
            for name in ["Aisha", String(repeating: "Long Name ", count: 30)] {
                let text = Composer(setting(language, who: name)).render(
                    .zone(what, zone: name, at: Self.now, place: nil), on: .sms
                ).text
                #expect(SMSText(text).segments == 1, "\(text)")
            }
        }
    }

    @Test func `each zone content has its own sentence`() {
        for language in Language.allCases {
            let texts = ZoneContent.allCases.map {
                Composer(setting(language)).render(
                    .zone($0, zone: "Z", at: Self.now, place: nil), on: .sms
                ).text
            }
            #expect(Set(texts).count == texts.count)
        }
    }

    @Test(arguments: Language.allCases, [Channel.sms, .email])
    func `every notice uses GSM 03.38 if the names do`(
        language: Language, channel: Channel
    ) {
        for content in Self.contents {
            let wording = Composer(setting(language)).render(content, on: channel)
            #expect(SMSText.isGSM(wording.text), "\(wording.text)")
            #expect(!wording.text.isEmpty)
            #expect(channel == .sms || !wording.subject.isEmpty)
        }
    }

    @Test(arguments: Language.allCases)
    func `the position is in the first segment, however long or strange the name`(
        language: Language
    ) {
        let names = [
            "Aisha", String(repeating: "Long Name ", count: 30), "李明",
            "Олександра Ковальчук-Задорожна", "👩‍🚒👩‍🚒👩‍🚒👩‍🚒👩‍🚒👩‍🚒👩‍🚒", "", "[[[{{{€€€€]]]}}}||||~~~~",
        ]
        for name in names {
            for isLate in [false, true] {
                var facts = Alarm(
                    trigger: .watchExpired, raised: Self.now - .seconds(isLate ? 80_000 : 0),
                    isLate: isLate, place: Self.place, battery: 3,
                    note: String(repeating: "n", count: 500))
                facts.note = isLate ? "会議" : facts.note
                let text = Composer(setting(language, who: name, offset: nil))
                    .render(.alarm(facts, .first), on: .sms).text
                let measure = SMSText(text)
                let link = "https://osm.org/?mlat=3.13900&mlon=101.68690"
                let end = text.firstRange(of: link)!.upperBound
                let units = SMSText.units(String(text[..<end]), in: measure.encoding)
                #expect(units <= measure.encoding.partMax || isLate, "\(units): \(text)")
                #expect(measure.segments <= 5)
                if isLate { #expect(units <= 2 * measure.encoding.partMax) }
            }
        }
    }

    @Test func `line breaks and control characters of names cannot break a message`() {
        let mail = Composer(setting(who: "Ai\r\nsha\u{7}: x\tBcc: y@z"))
            .render(alarm(), on: .email)
        #expect(mail.subject == "SOS Ai sha : x Bcc: y@z: panic button, 10:20")
    }

    @Test func `times of another day show the date, and without a time zone they are in UTC`() {
        let content = NoticeContent.zone(
            .left, zone: "School", at: Self.now - .seconds(3 * 3600), place: nil)
        #expect(
            Composer(setting(offset: nil)).render(content, on: .sms).text
                == "Jaga: Aisha left School, 2026-11-19 23:20 UTC.")
        #expect(
            Composer(setting()).render(content, on: .sms).text
                == "Jaga: Aisha left School, 07:20.")
    }

    @Test func `south, west and rounding of coordinates`() {
        let fix = Fix(
            time: Self.now, position: Coordinate(latitudeE7: -5, longitudeE7: -1_799_999_999))
        let content = NoticeContent.zone(.entered, zone: "Z", at: Self.now, place: Place(fix))
        let text = Composer(setting()).render(content, on: .sms).text
        #expect(text.contains("mlat=0.00000&mlon=-180.00000"))
        #expect(text.contains("accuracy unknown"))
    }

    @Test func `a configured map is linked`() {
        var setting = setting()
        setting.map = "https://map.example/{x}/{lon},{lat}"
        let text = Composer(setting).render(alarm(), on: .sms).text
        #expect(text.contains("https://map.example/{x}/101.68690,3.13900"))
    }

    @Test func `languages by locale`() {
        #expect(Language(locale: "ms-MY") == .malay)
        #expect(Language(locale: "id_ID") == .indonesian)
        #expect(Language(locale: "in") == .indonesian)
        #expect(Language(locale: "de-CH") == .english)
        #expect(Language(locale: "") == .english)
    }

    @Test func `segments are counted as phones do`() {
        func measure(_ text: String, _ count: Int) -> [Int] {
            let text = SMSText(String(repeating: text, count: count))
            return [text.units, text.segments]
        }
        #expect(measure("a", 160) == [160, 1])
        #expect(measure("a", 161) == [161, 2])
        #expect(measure("€", 80) == [160, 1])
        #expect(measure("a", 307) == [307, 3])
        #expect(measure("Ж", 70) == [70, 1])
        #expect(measure("Ж", 71) == [71, 2])
        #expect(SMSText("").segments == 1)
        #expect(SMSText("é").encoding == .gsm7)
        #expect(SMSText("ê").encoding == .ucs2)
    }

    @Test func `emergency numbers by country`() {
        #expect(EmergencyNumber.number(forPhone: "+60123") == "999")
        #expect(EmergencyNumber.number(forPhone: "+628123") == "112")
        #expect(EmergencyNumber.number(forPhone: "+1555") == "911")
        #expect(EmergencyNumber.number(forPhone: "") == "112")
    }

    private static let contents: [NoticeContent] = {
        var contents: [NoticeContent] = [
            .absent(zone: "School", by: now, hasContact: true, seen: now, place: place),
            .absent(zone: "School", by: now, hasContact: false, seen: now, place: nil),
            .absent(zone: "School", by: now, hasContact: false, seen: nil, place: nil),
            .message(
                MessageContent(
                    to: "Mum", own: "Ai",
                    zones: Transition.allCases.map { MessageZone(name: "School", $0) },
                    lines: ["Please fetch me"],
                    at: now, place: place)),
            .ownAlarm(zone: "River", near: true, at: now),
            .ownAlarm(zone: "River", near: false, at: now),
            .acknowledged(by: "Budi"), .acknowledged(by: nil), .acknowledgedElsewhere(by: "Budi"),
            .ended(cancelled: true, by: nil),
            .ended(cancelled: false, by: "Budi"), .acknowledgementReminder,
            .ownAcknowledged(by: nil),
            .ownNobodyReached(number: "999"), .watchReminder(deadline: now, note: "jog"),
            .contact(.asked(since: now, alarmAt: now)), .contact(.asked(since: now, alarmAt: nil)),
            .contact(.lost(since: now, place: place)), .contact(.restored), .contact(.battery(5)),
            .test(gateway: "kannel"),
        ]
        for impairment in Impairment.allCases {
            contents += [.contact(.ownImpairment(impairment)), .contact(.impairment(impairment))]
        }
        for what in ZoneContent.allCases {
            contents.append(.zone(what, zone: "School", at: now, place: place))
        }
        for trigger in EmergencyTrigger.allCases {
            for repetition in Repetition.allCases {
                contents.append(.alarm(Alarm(trigger: trigger, raised: now), repetition))
            }
        }
        return contents
    }()
}
