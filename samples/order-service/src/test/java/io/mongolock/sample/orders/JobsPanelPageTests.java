package io.mongolock.sample.orders;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import com.microsoft.playwright.APIResponse;
import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Route;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.ColorScheme;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.sample.browser.Browsing;
import io.mongolock.test.embedded.EmbeddedMongoMain;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The panel of the jobs in a browser, on a desktop and on a phone.
 */
@Tag("browser")
class JobsPanelPageTests {

	private static final int DESKTOP = 1280;

	private static final int PHONE = 390;

	/** Longer than the minute after which a job runs again that has just ended. */
	private static final Duration PATIENCE = Duration.ofMinutes(2);

	private static final String JOBS = "**/actuator/mongojobs*";

	private static final String MARKUP = "<img src=x onerror=document.body.remove()>";

	/** Where pictures for the documentation go, if they are wanted. */
	private static final String PICTURES = System.getProperty("dashboard.pictures");

	@TempDir
	private static Path directory;

	private static JavaProcess mongo;

	private static OrderServiceProcess instance;

	private static SeededJobs jobs;

	private static Browsing browsing;

	private final List<String> complaints = new ArrayList<>();

	private final List<Page> pages = new ArrayList<>();

	@BeforeAll
	static void start() {
		mongo = JavaProcess.start(directory, EmbeddedMongoMain.class, "--port=0");
		String uri = mongo.awaitOutput("ready at (mongodb://127.0.0.1:\\d+)");
		// One job that is never due, and one that seldom is not
		instance = OrderServiceProcess
			.start(directory, uri + "/orders", "--spring.profiles.active=jobs", "--orders.reminder-time=20s",
					"--orders.count-cron=0 0 0 1 1 *")
			.awaitReady();
		jobs = new SeededJobs(uri, "orders");
		browsing = new Browsing();
		PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
	}

	@AfterAll
	static void stop() {
		browsing.close();
		jobs.close();
		instance.close();
		mongo.close();
	}

	@AfterEach
	void noScriptComplained() {
		this.pages.forEach(Page::close);
		jobs.clear();
		// The browser itself says of each answer that it is not 200
		assertThat(this.complaints).allMatch((text) -> text.contains("Failed to load resource"));
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void theJobsOfTheApplicationAreShownAndHowFarTheyAre(int width) {
		Page page = open(width);
		expect(rows(page)).hasCount(2);
		Locator remind = row(page, "remind-debtors");
		expect(remind).containsText(Pattern.compile("running for \\d+ s, [1-4] of 4, by order-service \\w+"));
		expect(remind.locator(".mark.running").last()).hasText("R");
		Locator count = row(page, "count-open-orders");
		expect(count.locator(".state")).hasText("scheduled");
		expect(count).containsText(Pattern.compile("in \\d+ d"));
		expect(page.locator("#jobs-pager")).isHidden();
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void theOutcomeOfEachRunIsSaidWithoutColoursAndReachedWithoutAMouse(int width) {
		jobs.scheduled("seeded", "cron 0 0 3 * * * (Europe/Berlin)", Duration.ofHours(2));
		jobs.run("seeded", Duration.ofHours(1), 0, "SKIPPED", Duration.ZERO, "message", "it is paused");
		jobs.run("seeded", Duration.ofHours(2), 0, "MISSED", Duration.ZERO);
		jobs.run("seeded", Duration.ofHours(3), 3, "ABANDONED", Duration.ofMinutes(2));
		jobs.run("seeded", Duration.ofHours(4), 1, "FAILED", Duration.ofMillis(250), "exception", "java.io.IOException",
				"message", "no paper");
		jobs.run("seeded", Duration.ofHours(5), 2, "SUCCEEDED", Duration.ofSeconds(61));
		jobs.run("seeded", Duration.ofHours(6), 1, "SUCCEEDED", Duration.ofSeconds(1));
		Page page = open(width);
		Locator row = row(page, "seeded");
		expect(row.locator(".strip .mark")).hasText(new String[] { "", "2", "F", "A", "M", "S" });
		expect(row.locator(".strip")).hasAttribute("aria-label",
				"Last 6 runs of seeded: 1 skipped, 1 missed, 1 abandoned, 1 failed, 2 succeeded");
		expect(row.locator(".strip .mark").nth(2)).hasAttribute("title",
				Pattern.compile(".+: failed after 250 ms, by shop 3f2a91bc .*: java.io.IOException: no paper"));
		expect(row.locator(".state")).hasText("no longer scheduled");
		expect(row).containsText(Pattern.compile("abandoned 2 h 5\\d min ago, took 2 min"));
		// Nobody looks after it
		expect(row.locator("button.change:visible")).hasCount(0);
		button(page, "seeded").focus();
		page.keyboard().press("Enter");
		Locator runs = row.locator("[data-list=runs] li");
		expect(runs).hasCount(6);
		expect(runs.first()).containsText("skipped: it is paused");
		expect(runs.nth(4)).containsText(Pattern.compile("succeeded after 1 min 1 s, attempt 2, by shop"));
		expect(row.locator("[data-list=facts]")).containsText("cron 0 0 3 * * * (Europe/Berlin)");
		expect(row.locator("[data-list=facts]")).containsText("this instance does not schedule the job");
		page.evaluate("window.focused = document.activeElement");
		jobs.run("seeded", Duration.ofMinutes(1), 1, "SUCCEEDED", Duration.ofSeconds(1));
		expect(runs).hasCount(7);
		assertThat(page.evaluate("focused === document.activeElement && focused.isConnected")).isEqualTo(true);
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void textsOfJobsAreNeverTakenAsHtmlNorWiderThanThePage(int width) {
		String text = MARKUP + "x".repeat(400);
		String name = MARKUP + "y".repeat(50);
		jobs.run(name, Duration.ofMinutes(1), 1, "RUNNING", null, "note", text, "runner", text);
		jobs.run(name, Duration.ofMinutes(2), 1, "FAILED", Duration.ZERO, "exception", text, "message", text);
		Page page = open(width);
		expect(row(page, name).locator(".state")).containsText(MARKUP);
		button(page, name).click();
		expect(row(page, name).locator("[data-list=runs] li").nth(1)).containsText("failed after 0 ms");
		expect(row(page, name).locator("[data-list=runs] li").nth(1)).containsText(MARKUP);
		expect(page.locator("img")).hasCount(0);
		assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(width);
		assertThat((List<?>) page.evaluate(
				"""
						[...document.querySelectorAll('#jobs-section, #jobs-section *')].filter((it) => it.getClientRects().length
							&& !it.closest('.hidden, .key, thead, .state') && it.getBoundingClientRect().right > innerWidth)
							.map((it) => it.outerHTML)"""))
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void aJobThatIsOverdueIsRunNowAndOneOfItsTicksAgain(int width) {
		Page page = open(width);
		Locator row = row(page, "count-open-orders");
		expect(row.locator(".overdue")).isEmpty();
		jobs.expectedSince("count-open-orders", Duration.ofDays(800));
		expect(row.locator(".overdue")).hasText(Pattern.compile("! overdue for \\d+ d.*"));
		expect(page.locator("#jobs-news")).hasText("Overdue: count-open-orders");
		jobs.expectedSince("count-open-orders", Duration.ZERO);
		Locator run = button(page, "Run count-open-orders now");
		run.focus();
		page.keyboard().press("Enter");
		expect(page.getByRole(AriaRole.DIALOG)).containsText("even if it is paused");
		expect(button(page, "Cancel")).isFocused();
		page.keyboard().press("Escape");
		expect(run).isFocused();
		int before = row.locator(".mark.succeeded").count();
		run.click();
		button(page, "Run now").click();
		expect(page.locator("#notice")).hasText("count-open-orders runs");
		expect(row.locator(".mark.succeeded")).hasCount(before + 1);
		expect(row.locator(".overdue")).isEmpty();
		button(page, "count-open-orders").click();
		row.locator("[data-list=runs] li button").first().click();
		expect(page.getByRole(AriaRole.DIALOG)).containsText("its next attempt");
		button(page, "Run again").click();
		expect(page.locator("#notice")).hasText("count-open-orders runs again");
		expect(row.locator("[data-list=runs] li").first()).containsText("attempt 2");
		expect(row.locator(".mark.succeeded").last()).hasText("2");
	}

	@Test
	void aJobThatIsAboutToBeRunIsNotCalledOverdue() {
		Page page = open(DESKTOP);
		String answer = """
				{"jobs": [{"name": "due", "now": "2026-05-04T03:00:%sZ", "state": "scheduled", "schedule": "cron",
				"next": "2026-05-05T03:00:00Z", "overdueSince": "2026-05-04T03:00:00Z", "runs": []}], "mayChange": true}""";
		page.route(JOBS, (route) -> route.fulfill(fulfilled(200, answer.formatted("03"))));
		expect(row(page, "due").locator(".state")).hasText("scheduled");
		expect(row(page, "due").locator(".overdue")).isEmpty();
		page.unroute(JOBS);
		page.route(JOBS, (route) -> route.fulfill(fulfilled(200, answer.formatted("30"))));
		expect(row(page, "due").locator(".overdue")).hasText(Pattern.compile("! overdue for 3\\d s"));
	}

	private static Route.FulfillOptions fulfilled(int status, String json) {
		return new Route.FulfillOptions().setStatus(status).setContentType("application/json").setBody(json);
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void aPauseNeedsAReasonAndHoldsUntilTheJobIsResumed(int width) {
		Page page = open(width);
		Locator row = row(page, "count-open-orders");
		button(page, "Pause count-open-orders").click();
		expect(page.getByLabel("Reason")).isFocused();
		button(page, "Pause", page.getByRole(AriaRole.DIALOG)).click();
		// The browser itself asks for it
		expect(page.getByRole(AriaRole.DIALOG)).hasCount(1);
		page.getByLabel("Reason").fill(MARKUP);
		page.keyboard().press("Enter");
		expect(page.locator("#notice")).hasText("count-open-orders is paused");
		expect(row.locator(".state"))
			.hasText(Pattern.compile("paused for \\d+ s: " + MARKUP.replace("()", "\\(\\)") + " \\(anonymous\\)"));
		expect(page.locator("img")).hasCount(0);
		button(page, "Resume count-open-orders").click();
		button(page, "Resume").click();
		expect(page.locator("#notice")).hasText("count-open-orders is scheduled again");
		expect(row.locator(".state")).hasText("scheduled");
	}

	@Test
	void theReasonOfARefusedRequestIsShown() {
		Page page = open(DESKTOP);
		expect(row(page, "remind-debtors")).containsText("running for");
		button(page, "Run remind-debtors now").click();
		button(page, "Run now").click();
		expect(page.locator("#notice.error"))
			.hasText("Run now remind-debtors: Job 'remind-debtors' is being run. Wait until this run has ended");
		page.route(JOBS, (route) -> {
			if (route.request().method().equals("POST")) {
				route.fulfill(new Route.FulfillOptions().setStatus(403));
			}
			else {
				route.resume();
			}
		});
		button(page, "Run remind-debtors now").click();
		button(page, "Run now").click();
		expect(page.locator("#notice.error")).hasText("Run now remind-debtors: you may not do that");
	}

	@Test
	void aUserWithoutARoleOrALookWithoutAnAnswerIsSaid() {
		Page page = open(DESKTOP);
		expect(button(page, "Pause count-open-orders")).isVisible();
		page.route(JOBS, (route) -> {
			APIResponse answer = route.fetch();
			route.fulfill(new Route.FulfillOptions().setResponse(answer)
				.setBody(answer.text().replace("\"mayChange\":true", "\"mayChange\":false")));
		});
		expect(button(page, "Pause count-open-orders")).hasCount(0);
		page.unroute(JOBS);
		page.route(JOBS, (route) -> route.fulfill(fulfilled(503, "{\"error\":\"MongoDB does not answer\"}")));
		expect(page.locator("#jobs-state")).hasText("Not up to date: MongoDB does not answer");
		expect(page.locator("#looked")).hasText("Up to date");
		expect(rows(page)).hasCount(2);
		page.unroute(JOBS);
		expect(page.locator("#jobs-state")).containsText("Of all instances");
		expect(button(page, "Pause count-open-orders")).isVisible();
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void hundredsOfJobsAreShownPageByPage(int width) {
		jobs.many(300);
		Page page = open(width);
		expect(rows(page)).hasCount(20);
		expect(page.locator("#jobs-where")).hasText("To job-018, more follow");
		assertThat((int) page.evaluate("document.querySelectorAll('*').length")).isLessThan(1_500);
		Locator pager = page.getByRole(AriaRole.NAVIGATION, new Page.GetByRoleOptions().setName("Pages of jobs"));
		button(page, "Next", pager).click();
		expect(page.locator("#jobs-where")).hasText("To job-038, more follow");
		button(page, "Previous", pager).click();
		expect(row(page, "count-open-orders")).isVisible();
		page.getByLabel("Names from").fill("job-290");
		expect(page.locator("#jobs-where")).hasText("To remind-debtors");
		expect(rows(page)).hasCount(11);
		page.getByLabel("Names from").fill("zzz");
		expect(page.locator("#no-jobs")).isVisible();
		page.getByLabel("Names from").fill("");
		expect(rows(page)).hasCount(20);
	}

	@ParameterizedTest
	@EnumSource(names = { "LIGHT", "DARK" })
	void everyTextCanBeReadAgainstItsGround(ColorScheme scheme) {
		jobs.scheduled("nightly-report", "cron 0 0 3 * * * (Europe/Berlin)", Duration.ZERO);
		for (int day = 20; day > 0; day--) {
			boolean failed = day == 9;
			jobs.run("nightly-report", Duration.ofDays(day), (day == 14) ? 2 : 1, failed ? "FAILED" : "SUCCEEDED",
					Duration.ofSeconds(40 + 3 * day));
		}
		jobs.scheduled("old-import", "fixed rate 10m", Duration.ofDays(2));
		jobs.run("old-import", Duration.ofDays(3), 0, "MISSED", Duration.ZERO);
		jobs.run("old-import", Duration.ofDays(2), 3, "ABANDONED", Duration.ofMinutes(3));
		jobs.run("old-import", Duration.ofDays(1), 0, "SKIPPED", Duration.ZERO);
		Page page = open(DESKTOP);
		page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
		jobs.expectedSince("count-open-orders", Duration.ofDays(800));
		try {
			expect(row(page, "count-open-orders").locator(".overdue")).containsText("overdue");
			expect(row(page, "remind-debtors")).containsText("running for");
			assertThat((List<?>) page.evaluate(DashboardPageTests.CONTRAST)).isEmpty();
			if (PICTURES != null) {
				page.locator("#jobs-section")
					.screenshot(new Locator.ScreenshotOptions()
						.setPath(Path.of(PICTURES, "jobs-1280-%s.png".formatted(scheme.name().toLowerCase()))));
			}
			button(page, "old-import").click();
			button(page, "Pause count-open-orders").click();
			assertThat((List<?>) page.evaluate(DashboardPageTests.CONTRAST)).isEmpty();
		}
		finally {
			jobs.expectedSince("count-open-orders", Duration.ZERO);
		}
	}

	@Test
	void aScreenReaderFindsTheSkipLinkTheTableAndALabelOfEachControl() {
		Page page = open(DESKTOP);
		Locator table = page.getByRole(AriaRole.TABLE, new Page.GetByRoleOptions().setName("Jobs"));
		expect(table.getByRole(AriaRole.COLUMNHEADER)).hasCount(6);
		expect(table.getByRole(AriaRole.ROW)).hasCount(3);
		page.keyboard().press("Tab");
		page.keyboard().press("Tab");
		expect(page.getByText("To the jobs")).isFocused();
		page.keyboard().press("Enter");
		expect(page.locator("#jobs")).isFocused();
		assertThat((List<?>) page.evaluate("""
				[...document.querySelectorAll('button, input, select')].filter((it) => it.getClientRects().length
					&& !(it.labels?.length || it.textContent.trim() || it.ariaLabel)).map((it) => it.outerHTML)"""))
			.isEmpty();
	}

	private Page open(int width) {
		Page page = browsing.open(width, this.complaints::add);
		page.setDefaultTimeout(PATIENCE.toMillis());
		this.pages.add(page);
		page.navigate(instance.url() + "/actuator/mongolocksdashboard");
		expect(page.locator("#jobs-state")).containsText("Of all instances");
		expect(page.locator("#looked")).hasText("Up to date");
		return page;
	}

	private static Locator rows(Page page) {
		return page.locator("#jobs tbody");
	}

	private static Locator row(Page page, String job) {
		return rows(page).filter(new Locator.FilterOptions().setHas(button(page, job)));
	}

	private static Locator button(Page page, String name) {
		return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
	}

	private static Locator button(Page page, String name, Locator inside) {
		return inside.getByRole(AriaRole.BUTTON, new Locator.GetByRoleOptions().setName(name).setExact(true));
	}

	private static LocatorAssertions expect(Locator locator) {
		return PlaywrightAssertions.assertThat(locator);
	}

}
