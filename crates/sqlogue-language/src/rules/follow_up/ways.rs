//! The ways to take a follow-up: every one that makes sense, with what speaks for and against it.

use super::constructions::{CONSTRUCTIONS, UNCLEAR};
use super::previous::Previous;
use super::reading::Reading;
use super::{
    Answered, Composed, FollowUp, bound, changes, counted_rows, heard, impossible, judge, merge, of_shown,
    resolve, sense, set_rows, spelling, that_time, value,
};
use crate::intent::{Intent, resets};
use crate::rules::account::Doubt;
use crate::rules::knowledge::TableId;
use crate::rules::propose::key;
use crate::rules::rank::{Features, clause_changes, clauses};
use crate::rules::text::{Token, TokenKind};
use crate::rules::understand::Candidate;
use crate::rules::{Account, Knowledge, Options, grammar, understand};
use sqlogue_sql::plan::{Aggregate, Confidence, PlanEdit, QueryPlan};

/// One way to take a follow-up.
#[derive(Debug, Clone)]
pub struct Way {
    /// What it does.
    pub follow_up: FollowUp,
    /// The plan that comes of it.
    pub plan: QueryPlan,
    /// What speaks for and against it.
    pub features: Features,
    /// What surrounds it.
    pub circumstances: Features,
    /// The clauses of its plan, and what has changed in them.
    pub clauses: Vec<String>,
    /// What it leaves out of what was said.
    pub account: Account,
    /// What it has in common with those that make the same of it.
    key: String,
}

/// What may well leave the rows as they are: an order or a number of rows that they have already.
const ORDERING: &[&str] =
    &["made limit", "made direction", "made sort", "rule sorted", "rule limited", "rule end_taken"];

/// The number of the rows that a plan shows.
const COUNTED: PlanEdit = PlanEdit::Aggregate { function: Aggregate::Count, argument: None };

/// Below this a composed question is not worth its edits.
pub(super) const TRUSTED: f32 = 0.1;
/// Why nothing is taken from the query before, where nothing of it is known.
const UNKNOWN: &str = "the previous query uses no known table";
/// How many readings of a question by itself come into question.
const FRESH: usize = 6;
/// The same of one that was said in full.
const IN_FULL: usize = 3;

/// All ways to take a follow-up that make sense, in no order. `intent` is what its words say that it is.
pub fn ways(
    input: &str,
    previous: &QueryPlan,
    earlier: &[Answered<'_>],
    intent: Option<(Intent, Confidence)>,
    knowledge: &Knowledge,
    options: &Options,
) -> Vec<Way> {
    let spelled = that_time::spelled_out(input, previous);
    if let Some(question) = spelled.as_deref().and_then(that_time::in_full) {
        let fresh = fresh_only(question, "it says again of which time it is", knowledge, options);
        if fresh.first().is_some_and(|way| way.account.is_clear()) {
            return fresh;
        }
    }
    let input = spelled.as_deref().unwrap_or(input);
    let mut all = ways_after(input, previous, earlier, intent, knowledge, options);
    let rows = counted_rows::asked(input, previous).or_else(|| set_rows::as_rows(previous, knowledge));
    if let Some(rows) = rows {
        let mut before = earlier.to_vec();
        before.iter_mut().last().into_iter().for_each(|last| last.plan = &rows);
        for way in ways_after(input, &rows, &before, intent, knowledge, options) {
            if !way.is_new() && !all.iter().any(|other| other.key == way.key) {
                all.push(way.after_number(previous));
            }
        }
    }
    all
}

/// The ways to take it after one plan.
fn ways_after(
    input: &str,
    previous: &QueryPlan,
    earlier: &[Answered<'_>],
    intent: Option<(Intent, Confidence)>,
    knowledge: &Knowledge,
    options: &Options,
) -> Vec<Way> {
    if let Some((_, question)) = resets(input).filter(|(_, question)| !question.is_empty()) {
        return fresh_only(question, UNKNOWN, knowledge, options);
    }
    let before = earlier.last().map_or("", |answered| answered.said);
    let Some(context) = Previous::new(previous, before, knowledge) else {
        return fresh_only(input, UNKNOWN, knowledge, options);
    };
    let input = resolve::without_repair(input).unwrap_or(input);
    let bare = resolve::without_results(input);
    let input = bare.as_deref().unwrap_or(input);
    let (said, of_set) = resolve::without_set(input);
    let mut reading = Reading::new(said, knowledge, options.today);
    // *non-urgent* is what is not urgent, unless something is called so.
    let opposite = resolve::without_prefix(said).filter(|_| !resolve::names_with_prefix(&reading));
    let said = opposite.as_deref().unwrap_or(said);
    if opposite.is_some() {
        reading = Reading::new(said, knowledge, options.today);
    }
    let repaired = spelling::repaired(said, &reading, &context);
    let said = repaired.as_deref().unwrap_or(said);
    if repaired.is_some() {
        reading = Reading::new(said, knowledge, options.today);
    }
    // A number alone says nothing of what it is a number of.
    let says = |token: &Token| matches!(token.kind, TokenKind::Word | TokenKind::Quoted);
    if !reading.question.tokens.iter().any(says) {
        return Vec::new();
    }
    reading.of_set = of_set;
    let before_last = earlier.len().checked_sub(2).and_then(|at| earlier.get(at));
    let context = context.today(options.today).after(before_last.map(|answered| answered.plan));
    let before = heard::Before::new(&context);
    let mut ways = Ways { reading: &reading, previous: &context, options, before, all: Vec::new() };
    ways.constructions();
    ways.unified(earlier);
    ways.of_shown();
    ways.in_full(said);
    ways.fresh(input);
    let names_rows = ways.names_rows();
    let mut all = ways.all;
    let before = clauses(previous, knowledge);
    for way in &mut all {
        way.clauses = clauses(&way.plan, knowledge);
        way.clauses.extend(clause_changes(&before, &way.clauses));
        way.features.push((format!("names rows {names_rows} new {}", way.is_new()), 1.0));
    }
    if let Some((intent, confidence)) = intent {
        for way in &mut all {
            let (intent, sure, new) = (intent.name(), confidence.name(), way.is_new());
            way.features.push((format!("intent {intent} {sure} new {new}"), 1.0));
        }
    }
    all
}

impl Way {
    /// True where what was said is a question that could have been asked first.
    pub fn is_new(&self) -> bool {
        self.has("made fresh")
    }

    /// True where it is, and nothing in it points back.
    pub(super) fn stands_alone(&self) -> bool {
        self.has("made alone")
    }

    fn has(&self, feature: &str) -> bool {
        self.features.iter().any(|(name, _)| name == feature)
    }
}

/// What is said by itself, whatever was answered before.
fn fresh_only(input: &str, why: &str, knowledge: &Knowledge, options: &Options) -> Vec<Way> {
    let candidates = understand(input, knowledge, options).candidates;
    let way = |best: Candidate| Way {
        follow_up: FollowUp::NewQuestion {
            question: input.to_owned(),
            confidence: best.confidence.min(Confidence::Medium),
            plan: Box::new(best.plan.clone()),
            evidence: vec![why.to_owned()],
            doubts: Vec::new(),
        },
        key: key(&best.plan),
        plan: best.plan,
        features: vec![("made fresh".to_owned(), 1.0)],
        circumstances: Features::new(),
        clauses: Vec::new(),
        account: best.account,
    };
    candidates.into_iter().take(1).map(way).collect()
}

/// The ways as they are collected.
struct Ways<'a> {
    reading: &'a Reading,
    previous: &'a Previous<'a>,
    options: &'a Options,
    before: heard::Before,
    all: Vec<Way>,
}

impl Ways<'_> {
    /// Adds a way, or what speaks for it to the one that makes the same plan.
    fn add(&mut self, follow_up: FollowUp, account: Account, speaks: Features) {
        let Some(plan) = follow_up.plan().cloned() else { return };
        if !self.previous.stays_sound(&plan) || sense::misreads(self.reading, self.previous, &plan) {
            return;
        }
        let key = key(&plan);
        // The same answer once more is none to what was said, unless the question itself was repeated, or rows are in the
        // order that is asked for.
        let is_edit = matches!(follow_up, FollowUp::Edits { .. });
        let orders = speaks.iter().any(|(name, _)| ORDERING.contains(&name.as_str()));
        if is_edit && !orders && key == self::key(self.previous.plan) {
            return;
        }
        match self.all.iter_mut().find(|way| way.key == key) {
            Some(known) => {
                for (name, value) in speaks {
                    if !known.features.iter().any(|(other, _)| *other == name) {
                        known.features.push((name, value));
                    }
                }
                known.features.push(("made again".to_owned(), 1.0));
                // What the better of two accounts holds against a plan is enough: the other did not see why it is so.
                let counts = |account: &Account| (account.left_out.len(), account.doubts.len());
                let is_alike = is_edit == matches!(known.follow_up, FollowUp::Edits { .. });
                if account.left_out.len() < known.account.left_out.len()
                    || is_alike && counts(&account) < counts(&known.account)
                {
                    known.account = account;
                    known.follow_up = follow_up;
                }
            }
            None => {
                let mut features = speaks;
                features.extend(account.features());
                features.extend(changes::of_change(self.reading, self.previous, &plan));
                features.extend(self.before.heard(self.reading, self.previous, &plan));
                let circumstances = self.circumstances();
                let clauses = Vec::new();
                self.all.push(Way { follow_up, plan, features, circumstances, clauses, account, key });
            }
        }
    }

    fn constructions(&mut self) {
        let mut is_first = true;
        for (name, construction) in CONSTRUCTIONS {
            let Some(proposal) = construction(self.reading, self.previous) else { continue };
            if !bound::heeds_bounds(self.reading, &proposal.edits) {
                continue;
            }
            let asked = &self.reading.question;
            let Some((plan, edits)) = self.previous.changed_by(proposal.edits, asked) else { continue };
            let account = changed(self.reading, self.previous, &plan);
            let mut speaks = vec![(format!("made {name}"), 1.0)];
            let is_clear = !UNCLEAR.contains(name);
            speaks.extend(is_clear.then(|| ("made construction".to_owned(), 1.0)));
            if is_first && is_clear && self.previous.stays_sound(&plan) {
                speaks.push(("made first".to_owned(), 1.0));
                is_first = false;
            }
            let follow_up = FollowUp::Edits {
                edits,
                plan: Box::new(plan),
                evidence: vec![proposal.evidence],
                is_clear: true,
                confidence: Confidence::Medium,
                account: account.clone(),
            };
            self.add(follow_up, account, speaks);
        }
    }

    /// Fragments put together with the question before.
    fn unified(&mut self, earlier: &[Answered<'_>]) {
        let text = &self.reading.question.text;
        // What was asked of the rows themselves is no part of the question that showed them.
        let bare = of_shown::without_beside(self.previous.plan);
        let before = bare.as_ref().map(|(plan, _)| {
            let shown = earlier.iter().rposition(|answered| key(answered.plan) == key(plan));
            let mut before =
                earlier.get(..shown.map_or(earlier.len(), |at| at + 1)).unwrap_or_default().to_vec();
            before.iter_mut().last().into_iter().for_each(|last| last.plan = plan);
            before
        });
        let earlier = before.as_deref().unwrap_or(earlier);
        let followed = grammar::followed(earlier, text, self.previous.knowledge, self.options);
        let best = followed.first().map_or(0.0, |best| best.score);
        for (place, mut one) in followed.into_iter().enumerate() {
            if let Some((_, beside)) = &bare {
                of_shown::put_beside(&mut one.plan, beside);
            }
            one.plan = self.previous.with_every_row(self.previous.with_kept_rows(one.plan));
            // *how many were late?* counts the rows that were late.
            if impossible::counts_nothing(self.reading, &one.plan)
                && let Ok(counted) = one.plan.apply_all(&[COUNTED])
            {
                one.plan = counted;
            }
            self.previous.as_people_say(&mut one.plan, &self.reading.question);
            let mut account = changed(self.reading, self.previous, &one.plan);
            account.left_out = one.left_out;
            if !one.is_loose {
                // The query itself was changed, and computed anew.
                account.doubts.retain(|doubt| *doubt != Doubt::ChangedAnalysis);
            }
            let mut speaks = vec![
                ("made unified".to_owned(), 1.0),
                ("unified_behind".to_owned(), best - one.score),
                ("unified_unread".to_owned(), one.unread),
            ];
            if one.is_loose {
                speaks.push(("unified_loose".to_owned(), 1.0));
            }
            if place == 0 {
                speaks.push(("unified_first".to_owned(), 1.0));
            }
            let mut rules = one.rules.clone();
            rules.sort_unstable();
            rules.dedup();
            speaks.extend(rules.iter().map(|rule| (format!("rule {rule}"), 1.0)));
            let follow_up = FollowUp::Edits {
                edits: vec![PlanEdit::restate(self.previous.plan, one.plan.clone())],
                plan: Box::new(one.plan),
                evidence: vec![format!("read as a change of the last question: {}", one.rules.join(", "))],
                is_clear: true,
                confidence: Confidence::Medium,
                account: account.clone(),
            };
            self.add(follow_up, account, speaks);
        }
    }

    /// What is asked of the rows that were shown.
    fn of_shown(&mut self) {
        for one in of_shown::of_shown(self.reading, self.previous, self.options) {
            let candidate = one.candidate;
            let account = candidate.account;
            let speaks = vec![
                ("made of_shown".to_owned(), 1.0),
                ("of_shown_probability".to_owned(), candidate.probability),
                ("of_shown_place".to_owned(), one.place as f32),
            ];
            let follow_up = FollowUp::Edits {
                edits: vec![PlanEdit::restate(self.previous.plan, candidate.plan.clone())],
                plan: Box::new(candidate.plan),
                evidence: vec![format!("read of the rows shown: {}", one.question)],
                is_clear: true,
                confidence: Confidence::Medium,
                account: account.clone(),
            };
            self.add(follow_up, account, speaks);
        }
    }

    /// What is said in full, merged with the plan before or by itself.
    fn in_full(&mut self, said: &str) {
        if let Some(question) = value::other_entity(self.reading, self.previous) {
            self.by_itself(&question, "other_entity", 1);
        }
        let resolved = resolve::in_full(said, self.previous, self.reading);
        let Some(composed) = self.composed(said, &resolved.question) else { return };
        let speaks =
            vec![("made merged".to_owned(), 1.0), ("merged_probability".to_owned(), composed.probability)];
        let follow_up = merge::merge(self.reading, self.previous, &resolved, composed);
        let account = match &follow_up {
            FollowUp::Edits { account, .. } => account.clone(),
            // What counts nothing by itself is no question of its own.
            FollowUp::NewQuestion { plan, .. } if self.asks_how_many_there_are() && !summarises(plan) => {
                return;
            }
            FollowUp::NewQuestion { plan, doubts, .. } => {
                let mut account = changed(self.reading, self.previous, plan);
                account.doubts.clone_from(doubts);
                account
            }
            FollowUp::NotUnderstood { .. } => return,
        };
        self.add(follow_up, account, speaks);
        if resolved.question != said {
            self.by_itself(&resolved.question, "in_full", IN_FULL);
        }
    }

    /// The best reading of a question that is made of the follow-up; one of the composer's form where the words were changed,
    /// as only such can be merged with the plan before.
    fn composed(&self, said: &str, question: &str) -> Option<Composed> {
        let candidates = understand(question, self.previous.knowledge, self.options).candidates;
        let composed = candidates.iter().find(|one| question != said && one.grammar.is_none());
        let best = composed.or(candidates.first())?.clone();
        Some(Composed {
            plan: best.plan,
            probability: best.probability,
            confidence: best.confidence,
            ignored: best.evidence.ignored.iter().map(|words| words.to_lowercase()).collect(),
        })
    }

    fn fresh(&mut self, input: &str) {
        self.by_itself(input, "fresh", FRESH);
    }

    /// A question by itself.
    fn by_itself(&mut self, question: &str, name: &str, most: usize) {
        let candidates = understand(question, self.previous.knowledge, self.options).candidates;
        let (plan, reading) = (self.previous.plan, self.reading);
        let is_part = plan.limit.is_some() || plan.select.filter.is_some() || plan.select.having.is_some();
        let points = reading.speaks_of_them() || of_shown::named(reading, self.previous).is_some();
        let speaks_of_part = is_part && points;
        for (place, one) in candidates.into_iter().take(most).enumerate() {
            let refers = self.reading.refers()
                || self.asks_how_many_there_are()
                || matches!(self.reading.question.word(0), "and" | "also" | "plus" | "per" | "by");
            let doubts = judge::of_new_plan(self.reading, refers, self.previous, &one.plan);
            if self.asks_how_many_there_are() && !summarises(&one.plan) {
                continue;
            }
            let key = key(&one.plan);
            // Who speaks of *them* after some of all rows does not speak of all.
            if name == "fresh" && speaks_of_part && !self.all.iter().any(|way| way.key == key) {
                continue;
            }
            let mut account = one.account;
            account.doubts.extend(doubts.clone());
            let mut speaks = vec![
                (format!("made {name}"), 1.0),
                (format!("{name}_probability"), one.probability),
                (format!("{name}_place"), place as f32),
            ];
            if name == "fresh" && !refers {
                speaks.push(("made alone".to_owned(), 1.0));
            }
            let follow_up = FollowUp::NewQuestion {
                question: question.to_owned(),
                plan: Box::new(one.plan),
                evidence: vec![format!("read as: {question}")],
                confidence: one.confidence,
                doubts,
            };
            self.add(follow_up, account, speaks);
        }
    }

    /// *how many are there for each customer?*: of what was shown, as nothing else is said.
    fn asks_how_many_there_are(&self) -> bool {
        let question = &self.reading.question;
        let there = |at: usize| {
            question.word(at + 1) == "there" && matches!(question.word(at), "are" | "is" | "were")
        };
        (0..3).any(|at| question.word(at) == "many" && there(at + 1)) && !self.names_rows()
    }

    /// True where the table that was asked about is named.
    fn names_rows(&self) -> bool {
        let (_, entity) = self.previous.entity();
        let names = |(table, score): &(TableId, f32)| *score > 0.6 && *table == entity;
        self.reading.chunks.iter().any(|chunk| chunk.tables.iter().any(names))
    }

    /// How the follow-up is put, and what it follows.
    fn circumstances(&self) -> Features {
        let reading = self.reading;
        let plan = self.previous.plan;
        let truth = |name: &str, holds: bool| (name.to_owned(), f32::from(u8::from(holds)));
        let mut features = vec![
            (format!("opens {}", reading.opening()), 1.0),
            ("words".to_owned(), reading.question.tokens.len() as f32),
            truth("says also", reading.also),
            truth("says only", reading.only),
            truth("says instead", reading.instead),
            truth("says again", reading.again),
            truth("says and", reading.and),
            truth("refers", reading.refers()),
            truth("before grouped", !plan.select.group_by.is_empty()),
            truth("before cut", plan.limit.is_some()),
            truth("before restricted", plan.select.filter.is_some()),
            truth("before combined", !plan.set_operations.is_empty()),
            truth("before one summary", self.previous.is_one_summary()),
            ("before columns".to_owned(), plan.select.projection.len() as f32),
        ];
        features.retain(|(_, value)| *value != 0.0);
        features
    }
}

pub(super) fn summarises(plan: &QueryPlan) -> bool {
    plan.select.projection.iter().any(|shown| shown.expr.is_aggregate())
}

/// What speaks against a plan that edits the previous one.
pub(super) fn changed(reading: &Reading, previous: &Previous<'_>, plan: &QueryPlan) -> Account {
    let mut account =
        Account::of_change(&reading.question, &reading.chunks, previous.plan, plan, previous.knowledge);
    account.doubts.extend(judge::of_edits(reading, previous, plan));
    account
}
