"""Words of the invoice, letter, report, rules and delivery note; all are made up."""

from __future__ import annotations

INVOICE_FROM = (
    "Northwick Rope & Sail GmbH",
    "Speicherstraße 14, 24937 Flensburg",
    "Telephone +49 461 5550 173",
    "orders@northwick-rope.example",
)
INVOICE_TO = (
    "Harbour Office Quay Seven",
    "attn. Ms Amélie Fournier",
    "7 Tidal Row, Northwick NW3 8QH",
)
INVOICE_MARKS = (
    ("Invoice number", "2024-00713"),
    ("Invoice date", "18 March 2024"),
    ("Customer number", "K 40 118"),
    ("Order reference", "HQ7/MOOR/226"),
    ("Delivery date", "12 March 2024"),
    ("Payment due", "17 April 2024"),
)
INVOICE_ROWS = (
    ("1", "Mooring line, polyester, 24 mm, 50 m coil", "12", "138.50", "1,662.00"),
    ("2", "Mooring line, polyester, 32 mm, 50 m coil", "8", "214.00", "1,712.00"),
    ("3", "Dock fender, cylindrical, 300 x 1000 mm", "16", "87.25", "1,396.00"),
    ("4", "Shackle, galvanised, bow type, 3.25 t", "40", "11.90", "476.00"),
    ("5", "Swivel, stainless AISI 316, 16 mm", "10", "46.80", "468.00"),
    ("6", "Splicing set with five fids", "2", "63.00", "126.00"),
    ("7", "Chafe sleeve, leather, 1 m", "24", "9.45", "226.80"),
    ("8", "Mooring buoy, orange, 420 mm", "6", "129.00", "774.00"),
    ("9", "Heaving line with weighted end, 30 m", "4", "38.60", "154.40"),
    ("10", "Freight, pallet, two pieces", "1", "185.00", "185.00"),
)
INVOICE_SUMS = (
    ("Net amount", "7,180.20"),
    ("VAT 19 %", "1,364.24"),
    ("Amount due in EUR", "8,544.44"),
)
INVOICE_TERMS = (
    "Payable within 30 days without deduction; 2 % discount for payment within 10 days."
    " Goods remain our property until paid in full. Complaints about visible defects"
    " must reach us in writing within eight days of delivery. Place of jurisdiction is"
    " Flensburg.",
    "Bank: Fördebank eG, IBAN DE02 1203 0000 0000 2020 51, BIC FODEDE21XXX. VAT ID DE"
    " 811 907 980. Managing directors: Jörg Petersen, Zoë Lindqvist.",
)
LETTER_HEAD = ("Harbour Office Quay Seven", "7 Tidal Row, Northwick NW3 8QH")
LETTER_TO = (
    "Mr Edwin Castellane",
    "The Old Chandlery",
    "22 Lantern Street",
    "Northwick NW1 2BD",
)
LETTER_DATE = "4 April 2024"
LETTER_SUBJECT = "Berth 42: winter storage and the work on the east pontoon"
LETTER = (
    "Dear Mr Castellane,",
    "Thank you for your letter of 26 March. I am glad to hear that the boat came through"
    " the February gales with nothing worse than a torn cover, and I am sorry that our"
    " night watchman could not reach you by telephone at the time. We have noted your"
    " new number.",
    "You asked when the east pontoon will be open again. The contractor has replaced 31"
    " of the 48 piles and expects to finish the remaining 17 before the spring tides of"
    " 9 May. Until then berths 38 to 55 stay closed, and we have moved their holders to"
    " the visitors' basin at no extra charge. Water and shore power (16 A) are laid on"
    " there, but the gate closes at 22:30, so please carry your key card if you mean to"
    " come back late.",
    "As to the fees: for the ten weeks in which you cannot use berth 42 we will credit"
    " your account with £386.40, which is 10/52 of the yearly rate of £2,009.28. The"
    " credit will be shown on the statement of 30 June. You need not do anything to"
    " receive it.",
    "The crane is booked for your boat on Thursday 18 April at 07:45. Please see that"
    " the mast is down, the log and echo sounder are retracted, and that somebody is on"
    " board with two long lines. If the wind is above force 6 we will not lift, and will"
    " offer you the next free slot, most likely on Monday 22 April in the afternoon.",
    "With this letter you will find the revised harbour rules, which come into force on"
    " 1 June, and a short form on which we ask every berth holder to name a person"
    " ashore whom we may call in an emergency. Kindly return the form by the end of the"
    " month.",
    "Yours sincerely,",
)
LETTER_SIGNED = ("Amélie Fournier", "Deputy Harbour Master")
LETTER_SMALL = (
    "Enclosures: harbour rules (12 pages), emergency contact form (1 page). Office"
    " hours: Monday to Friday 08:00-17:00, Saturday 09:00-12:30. In an emergency call"
    " VHF channel 12.",
)
REPORT_TITLE = "Annual Report on the Condition of the Harbour"
REPORT_PART = "2  Dredging, water depth and the state of the quays"
REPORT = (
    "The winter of 2023 was the wettest since the office began to keep records in 1961."
    " Between October and February 742 mm of rain fell at the gauge on Lantern Point,"
    " against a mean of 468 mm, and the river carried far more silt into the basin than"
    " the dredging plan had allowed for. By the middle of January the depth at chart"
    " datum in the approach channel had fallen from 4.2 m to 3.4 m, and vessels drawing"
    " more than 3.0 m could enter only in the three hours on either side of high water.",
    "Two dredgers were hired at short notice. The bucket dredger Marguerite worked from"
    " 22 January to 16 February and lifted 18,400 cubic metres; the smaller suction"
    " dredger Petrel cleared the corners of the basin and the foot of the slipway, where"
    " the larger vessel cannot turn. Together they brought the channel back to 4.0 m at"
    " a cost of £412,600, which is £96,200 more than the budget for the year. The"
    " difference was met from the reserve.",
    "Samples of the sediment were taken at nine places and analysed by an independent"
    " laboratory. Eight were found clean enough to be placed at sea. The ninth, from"
    " below the former paint works, held 310 mg/kg of copper and 4.1 mg/kg of"
    " tributyltin, and the material was taken ashore to a licensed site. We do not know"
    " how far the contamination reaches, and have asked for a further twelve samples to"
    " be taken before the next season.",
    "The quays were inspected by divers in April and again in September. The north quay,"
    " which was rebuilt in 1998, is sound throughout. On the west quay 23 of 160 ladders"
    " have lost rungs below the waterline, and the timber fendering between bollards 31"
    " and 37 has been eaten by shipworm to half its thickness. Both defects were"
    " repaired before the summer. The east pontoon was in a worse state than had been"
    " thought: of its 48 steel piles 29 had lost more than 40 % of their wall at the"
    " splash zone, and two could be pushed through with a hand tool. The pontoon was"
    " closed on 3 November and is being piled anew.",
    "Nobody was hurt on the harbour's premises in the year under review. There were"
    " eleven reports of slipping on wet boards, three small fires on board, all put out"
    " by the crews, and one case in which a visitor's yacht broke loose in the night of"
    " 21 December and damaged two neighbours before it could be caught. Following that"
    " night the watch was doubled whenever the forecast speaks of force 8 or more.",
    "Traffic grew a little. The office counted 6,318 arrivals, 4.7 % more than in the"
    " year before; visitors stayed for 2.3 nights on average, and 38 % of them came from"
    " abroad, chiefly from the Netherlands, Denmark and Brittany. The fishing fleet"
    " shrank from 19 boats to 17, yet landed more: 1,284 tonnes, of which 611 tonnes"
    " were crab and lobster. Cargo is now limited to timber and road salt and came to"
    " 27,900 tonnes.",
    "Income from dues, rents and the crane was £2,946,000 and expenditure £3,081,500."
    " The loss of £135,500 is owed entirely to the dredging. Without it the harbour"
    " would have earned a small surplus, as it has in each of the last six years. The"
    " committee proposes to raise the reserve by £60,000 a year until it covers one"
    " unplanned dredging in full.",
    "For the coming year the committee asks for three decisions: to let a contract for"
    " regular soundings of the channel every six weeks instead of every quarter; to"
    " replace the lamps on both breakwaters with light-emitting diodes, which should"
    " save 31,000 kWh a year; and to move the fuel berth away from the swimming beach,"
    " as the residents have long wished.",
)
REPORT_NOTES = (
    "1  Depths are below chart datum, which at Northwick lies 2.62 m below ordnance datum.",
    "2  Volumes were measured in the hopper; in place the material fills about 0.8 of them.",
    "3  All sums are without value added tax and have been rounded to the nearest £100.",
)
RULES_TITLE = "Harbour Rules, in force from 1 June 2024"
RULES = (
    "1  These rules hold for everyone who uses the harbour, its quays, pontoons,"
    " slipways, car parks and buildings. Whoever lets another person use a boat or a"
    " berth answers for that person's conduct as for his or her own.",
    "2  A berth is let for one named boat. It may not be lent or let again. A holder who"
    " will be away for more than 48 hours shall tell the office, which may give the"
    " berth to a visitor for that time and will credit half of the fee received.",
    "3  The speed limit is 4 knots inside the breakwaters and 8 knots in the channel."
    " Sailing boats under power shall keep clear of fishing vessels that are landing"
    " their catch, and no vessel may anchor within 150 m of the ferry berth.",
    "4  Every boat shall lie on at least four lines in good condition, with springs, and"
    " with no fewer than three fenders on each side. The office may add or replace lines"
    " at the holder's cost when a gale is forecast and the holder cannot be reached"
    " within two hours.",
    "5  Fuel may be taken on only at the fuel berth. Engines shall be stopped, naked"
    " lights put out and passengers sent ashore. Spilt fuel, however little, must be"
    " reported at once; detergent may not be used to disperse it. The cost of cleaning"
    " falls on the polluter.",
    "6  Waste belongs in the containers behind the workshop: glass, metal, paper and"
    " residual waste apart from one another. Used oil, batteries, flares and paint are"
    " taken in on Saturdays from 09:00 to 12:30. Toilets may not be emptied into the"
    " basin; the pumping station at berth 12 may be used free of charge.",
    "7  Work that makes noise, dust or sparks is allowed from Monday to Friday between"
    " 08:00 and 18:00, and only on the hard standing. Sanding machines shall have a dust"
    " extractor. Antifouling may be washed off over the collecting grid and nowhere"
    " else.",
    "8  The crane is worked by the office's staff alone. Slings are placed as the owner"
    " directs and at the owner's risk. A boat is lifted when its insurance has been"
    " proved, and set down in a cradle that carries the weight of the hull on at least"
    " six supports.",
    "9  Shore power is supplied at 230 V and 16 A. Cables shall be of one piece, not"
    " longer than 25 m, and unrolled to their whole length. The meter is read on the"
    " first working day of the month; the price per kWh is shown at the office and may"
    " change once a quarter.",
    "10  Children under ten shall wear a life jacket on the pontoons. Dogs shall be kept"
    " on a lead. Swimming, diving and fishing from the pontoons are forbidden, save that"
    " divers may inspect a hull when the office has been told and flag A of the signal"
    " code is shown.",
    "11  From 22:30 to 07:00 quiet shall be kept. Halyards shall be tied back so that"
    " they do not beat against the mast. Generators may not run during these hours.",
    "12  Whoever breaks these rules after a warning in writing may be told to leave"
    " within seven days. Fees paid in advance are then returned for whole months only."
    " In case of danger to life or to other boats the office may act at once and without"
    " a warning.",
    "13  The office is liable for damage only where its staff acted with intent or with"
    " gross negligence. It is not liable for theft, storm, ice, flood or the acts of"
    " third parties. Claims shall be made in writing within thirty days after the damage"
    " became known.",
    "14  Should one of these rules prove void, the others stay in force. The German and"
    " French translations are for convenience; the English text alone is binding.",
)
NOTE_TITLE = "DELIVERY NOTE"
NOTE_MARKS = (
    ("Number", "LS 88 204"),
    ("Date", "12 March 2024"),
    ("Carrier", "Halvorsen Freight, vehicle FL-HS 4471"),
    ("Deliver to", "Harbour Office Quay Seven, store 3"),
)
NOTE_ROWS = (
    ("12 coils", "Mooring line, polyester, 24 mm"),
    ("8 coils", "Mooring line, polyester, 32 mm"),
    ("16 pieces", "Dock fender, cylindrical"),
    ("40 pieces", "Shackle, galvanised, 3.25 t"),
    ("10 pieces", "Swivel, stainless, 16 mm"),
    ("24 pieces", "Chafe sleeve, leather"),
    ("6 pieces", "Mooring buoy, orange"),
)
NOTE_END = (
    "Received complete and without visible damage, save for one fender with a scuffed"
    " end that was accepted with a remark on the carrier's copy.",
)
