package io.mongolock.sample.orders;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
import static org.awaitility.Awaitility.await;

/**
 * The page over the locks in a browser, on a desktop and on a phone.
 */
@Tag("browser")
class DashboardPageTests {

	private static final int DESKTOP = 1280;

	private static final int PHONE = 390;

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	/** Where pictures for the documentation go, if they are wanted. */
	private static final String PICTURES = System.getProperty("dashboard.pictures");

	@TempDir
	private static Path directory;

	private static JavaProcess mongo;

	private static String uri;

	private static OrderServiceProcess instance;

	private static SeededLocks locks;

	private static Browsing browsing;

	private final List<String> complaints = new ArrayList<>();

	private final List<Page> pages = new ArrayList<>();

	@BeforeAll
	static void start() {
		mongo = JavaProcess.start(directory, EmbeddedMongoMain.class, "--port=0");
		uri = mongo.awaitOutput("ready at (mongodb://127.0.0.1:\\d+)");
		instance = OrderServiceProcess.start(directory, uri + "/orders", "--mongo-lock.ttl=15s").awaitReady();
		await().atMost(PATIENCE).until(() -> instance.get("/orders/10001").statusCode() == 200);
		locks = new SeededLocks(uri, "orders");
		browsing = new Browsing();
		PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE.toMillis());
	}

	@AfterAll
	static void stop() {
		browsing.close();
		locks.close();
		instance.close();
		mongo.close();
	}

	@AfterEach
	void noScriptComplained() {
		// An instance has places for 16 that look
		this.pages.forEach(Page::close);
		locks.clear();
		assertThat(this.complaints).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void theOpenRowAndTheFocusStayWhileThePageLooksAgain(int width) {
		locks.hold("seed:2", Duration.ofMinutes(3), 2);
		Page page = open(width, "seed:");
		key(page, "seed:2").focus();
		page.keyboard().press("Enter");
		Locator more = page.locator("tr.more");
		expect(more.locator("[data-list=holders] li"))
			.containsText(Pattern.compile("shop \\w+ \\(host node-\\d.*left of 10 min: charging <card>"));
		expect(more.locator("[data-list=line] li")).hasCount(2);
		expect(more.locator("[data-list=previous] li")).containsText(Pattern.compile("node-7.*last renewed \\d"));
		page.evaluate("window.focused = document.activeElement");
		locks.hold("seed:1", Duration.ZERO, 0);
		expect(rows(page)).hasCount(2);
		assertThat(page.evaluate("focused === document.activeElement && focused.isConnected")).isEqualTo(true);
		expect(key(page, "seed:2")).hasAttribute("aria-expanded", "true");
		expect(more).hasCount(2);
		key(page, "seed:1").click();
		expect(more.first()).isVisible();
		expect(more.first().locator("[data-list=previous]")).isHidden();
		key(page, "seed:1").click();
		expect(more.nth(1)).isVisible();
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void aReleaseByForceIsAskedForAndSaid(int width) {
		locks.hold("seed:a b/c?d#e", Duration.ofMinutes(3), 0);
		Page page = open(width, "seed:");
		Locator release = button(page, "Release seed:a b/c?d#e by force");
		release.focus();
		page.keyboard().press("Enter");
		expect(page.getByRole(AriaRole.DIALOG)).containsText("held by shop");
		expect(button(page, "Keep it")).isFocused();
		page.keyboard().press("Escape");
		expect(page.getByRole(AriaRole.DIALOG)).hasCount(0);
		expect(release).isFocused();
		assertThat(locks.isHeld("seed:a b/c?d#e")).isTrue();
		release.click();
		button(page, "Release by force").click();
		expect(page.locator("#notice")).hasText("seed:a b/c?d#e was released by force");
		expect(rows(page)).hasCount(0);
		expect(page.locator("#empty")).hasText("No held lock matches");
		assertThat(locks.isHeld("seed:a b/c?d#e")).isFalse();
	}

	@Test
	void aLockThatAnotherHasTakenOverSinceTheButtonWasPressedIsLeftAlone() {
		locks.hold("seed:1", Duration.ofMinutes(3), 0);
		Page page = open(DESKTOP, "seed:");
		button(page, "Release seed:1 by force").click();
		expect(page.getByRole(AriaRole.DIALOG)).containsText("held by shop");
		locks.takeOver("seed:1");
		button(page, "Release by force").click();
		expect(page.locator("#notice")).hasText("seed:1 was not released: the holders that you saw no longer hold it");
		assertThat(locks.isHeld("seed:1")).isTrue();
	}

	@Test
	void aKeyThatABrowserWouldTakeForAnotherIsTheOneThatIsReleased() {
		locks.hold("seed:a/../b", Duration.ZERO, 0);
		locks.hold("seed:b", Duration.ZERO, 0);
		Page page = open(DESKTOP, "seed:");
		button(page, "Release seed:a/../b by force").click();
		button(page, "Release by force").click();
		expect(page.locator("#notice")).hasText("seed:a/../b was released by force");
		assertThat(locks.isHeld("seed:a/../b")).isFalse();
		assertThat(locks.isHeld("seed:b")).isTrue();
	}

	@Test
	void aKeyIsToldFromOthersAlsoIfItIsLongOrTurnsTheOrderOfItsCharacters() {
		String longKey = "seed:" + "a".repeat(120) + ":";
		locks.hold(longKey + 1, Duration.ZERO, 0);
		locks.hold(longKey + 2, Duration.ZERO, 0);
		locks.hold("seed:z\u202e4321", Duration.ZERO, 0);
		Page page = open(DESKTOP, "seed:");
		expect(rows(page)).hasCount(3);
		expect(page.locator(".key").nth(1)).hasAttribute("title", longKey + 2);
		expect(page.locator(".key").nth(2)).hasText("seed:z\\u202e4321");
		key(page, longKey + 2).click();
		assertThat(page.locator(".key").nth(1).evaluate("key => key.scrollWidth <= key.clientWidth")).isEqualTo(true);
		assertThat(page.locator(".key").nth(0).evaluate("key => key.scrollWidth > key.clientWidth")).isEqualTo(true);
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void fiveThousandLocksAreShownPageByPage(int width) {
		locks.hold(5_000);
		Page page = open(width, "seed:");
		expect(rows(page)).hasCount(20);
		expect(page.locator("#where")).hasText("1 to 20, more follow");
		assertThat((int) page.evaluate("document.querySelectorAll('*').length")).isLessThan(1_500);
		button(page, "Next").click();
		expect(page.locator("#where")).hasText("21 to 40, more follow");
		expect(key(page, "seed:00020")).isVisible();
		expect(rows(page)).hasCount(20);
		button(page, "Previous").click();
		expect(key(page, "seed:00000")).isVisible();
		page.getByLabel("Key begins with").fill("seed:0499");
		expect(rows(page)).hasCount(10);
		expect(page.locator("#where")).hasText("1 to 10");
		AtomicInteger asked = new AtomicInteger();
		page.onRequest((request) -> asked.addAndGet(request.url().contains("prefix=typed") ? 1 : 0));
		page.getByLabel("Key begins with").fill("");
		page.getByLabel("Key begins with")
			.pressSequentially("typed:key", new Locator.PressSequentiallyOptions().setDelay(20));
		expect(page.locator("#empty")).isVisible();
		expect(page.locator("#empty")).hasText("No held lock matches");
		assertThat(asked).hasValue(1);
		page.getByLabel("Key begins with").fill("seed:0499");
		expect(rows(page)).hasCount(10);
		// The filter is part of the address
		page.reload();
		expect(rows(page)).hasCount(10);
		page.getByLabel("Key begins with").fill("seed:00");
		page.getByLabel("Held for").selectOption("10m");
		expect(rows(page).first()).containsText(Pattern.compile("seed:00[4-6]\\d\\d"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "property-naming-strategy=UPPER_CAMEL_CASE", "property-naming-strategy=SNAKE_CASE",
			"default-property-inclusion=non_default", "datatype.datetime.write-durations-as-timestamps=true",
			"serialization.wrap-root-value=true" })
	void thePageReadsLocksAndEventsWhateverTheJacksonOfTheApplicationIsSetTo(String setting) {
		locks.hold("seed:1", Duration.ofMinutes(3), 2);
		try (OrderServiceProcess other = OrderServiceProcess
			.start(directory, uri + "/orders", "--mongo-lock.ttl=15s", "--spring.jackson." + setting)
			.awaitReady()) {
			Page page = open(DESKTOP);
			page.navigate(other.url() + "/actuator/mongolocksdashboard#prefix=seed:");
			expect(page.locator("#looked")).hasText("Up to date");
			expect(rows(page)).hasCount(1);
			expect(rows(page)).containsText("3 min");
			other.pay("10051", "{\"amount\": 1, \"Amount\": 1, \"takes\": \"PT15S\", \"Takes\": \"PT15S\"}");
			expect(page.locator("#live")).containsText("Holds 1 lock,");
			expect(page.locator("#holds .summary")).containsText(Pattern.compile("holds?: half within"));
			// Before its stream ends with the instance
			page.close();
		}
	}

	@Test
	void aPageThatWasCutShortIsFollowedByTheNumbersBehindIt() {
		Page page = open(DESKTOP);
		List.of("seed:a", "seed:b", "seed:c").forEach((key) -> locks.hold(key, Duration.ZERO, 0));
		String cut = ", \"scanned\": 100000";
		page.route("**/actuator/mongolocks?*", (route) -> {
			String url = route.request().url();
			boolean last = url.contains("after=seed%3Ab");
			APIResponse answer = route
				.fetch(new Route.FetchOptions().setUrl(url.replace("limit=20", (last) ? "limit=1" : "limit=2")));
			String text = answer.text();
			route.fulfill(new Route.FulfillOptions().setResponse(answer)
				.setBody((last) ? text : text.substring(0, text.lastIndexOf('}')) + cut + "}"));
		});
		go(page, "#prefix=seed:");
		expect(page.locator("#where")).hasText("1 to 2 of 100,000 searched so far, more with Next");
		button(page, "Next").click();
		expect(page.locator("#where")).hasText("3 to 3, more follow");
		button(page, "Previous").click();
		expect(page.locator("#where")).hasText("1 to 2 of 100,000 searched so far, more with Next");
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void nothingIsWiderThanThePage(int width) {
		String text = "seed:<img src=x onerror=document.body.remove()>" + "x".repeat(500);
		locks.hold(text, Duration.ofDays(3), 1);
		Page page = open(width, "seed:");
		key(page, text).click();
		expect(page.locator("tr.more li").first()).isVisible();
		assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(width);
		assertThat((List<?>) page.evaluate("""
				[...document.querySelectorAll('section, section *')].filter((it) => it.getClientRects().length
					&& !it.closest('.track, .hidden, .key, thead') && it.getBoundingClientRect().right > innerWidth)
					.map((it) => it.outerHTML)""")).isEmpty();
		expect(page.locator("img")).hasCount(0);
		button(page, "Release " + text + " by force").click();
		assertThat((int) page.evaluate("document.querySelector('dialog').scrollWidth")).isLessThanOrEqualTo(width);
	}

	@Test
	void turnsWaitsAndLossesOfTheInstanceAreLive() {
		Page page = open(DESKTOP, "order:");
		instance.pay("10031", "{\"amount\": 100, \"takes\": 0.2}").join();
		expect(page.locator("#holds .summary")).containsText(Pattern.compile("holds?: half within"));
		expect(page.locator("#names option[value=order]")).hasCount(1);
		Locator lane = page.locator(".lane").filter(new Locator.FilterOptions().setHasText("this instance"));
		expect(lane.locator(".bar:not(.open)")).not().hasCount(0);
		instance.pay("10032", "{\"amount\": 100, \"takes\": 120}");
		expect(lane.locator(".bar.open")).hasCount(1);
		expect(lane).containsText("holds 1");
		button(page, "Release order:10032 by force").click();
		button(page, "Release by force").click();
		expect(page.locator("#losses")).containsText("order:10032: taken over, released by force or deleted");
		expect(page.locator("#news")).hasText("1 lock lost: order:10032");
	}

	@Test
	void deadlocksOfTheInstanceAreListedByTheKeysOfTheirLocks() {
		Page page = open(DESKTOP);
		page.route("**/events",
				(route) -> route.fulfill(new Route.FulfillOptions().setContentType("text/event-stream").setBody("""
						event: activity
						data: {"turn": 0, "held": 2, "waiting": 2, "bounds": [1], "names": [], "turns": [], "lost": 0, \
						"losses": [], "deadlocks": [{"number": 1, "keys": ["order:1", "<b>account:2"], "ago": 3000}]}

						""")));
		go(page, "");
		expect(page.locator("#deadlocks-title")).isVisible();
		expect(page.locator("#deadlocks li"))
			.hasText("order:1, <b>account:2: their holders waited for each other, 3 s ago");
	}

	@Test
	void thePageStandsStillWhileItIsPaused() {
		locks.hold("seed:1", Duration.ZERO, 0);
		Page page = open(DESKTOP, "seed:");
		expect(rows(page)).hasCount(1);
		button(page, "Pause").click();
		expect(page.locator("#looked")).containsText("Paused");
		List<String> requests = new ArrayList<>();
		page.onRequest((request) -> requests.add(request.url()));
		expect(page.locator("#looked")).hasText(Pattern.compile("Paused ([3-9]|[1-9]\\d+) s ago"));
		assertThat(requests).isEmpty();
		locks.hold("seed:2", Duration.ZERO, 0);
		button(page, "Pause").click();
		expect(rows(page)).hasCount(2);
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void aScreenReaderFindsTheSkipLinkTheTableAndALabelOfEachControl(int width) {
		locks.hold("seed:1", Duration.ZERO, 1);
		Page page = open(width, "seed:");
		expect(rows(page)).hasCount(1);
		page.keyboard().press("Tab");
		expect(page.getByText("To the locks")).isFocused();
		for (AriaRole landmark : List.of(AriaRole.BANNER, AriaRole.MAIN, AriaRole.SEARCH, AriaRole.NAVIGATION)) {
			expect(page.getByRole(landmark)).hasCount(1);
		}
		Locator table = page.getByRole(AriaRole.TABLE, new Page.GetByRoleOptions().setName("Held now"));
		expect(table.getByRole(AriaRole.COLUMNHEADER)).hasCount(7);
		expect(table.getByRole(AriaRole.ROW)).hasCount(2);
		assertThat((List<?>) page.evaluate("""
				[...document.querySelectorAll('button, input, select')].filter((it) => it.getClientRects().length
					&& !(it.labels?.length || it.textContent.trim() || it.ariaLabel)).map((it) => it.outerHTML)"""))
			.isEmpty();
	}

	@ParameterizedTest
	@EnumSource(names = { "LIGHT", "DARK" })
	void everyTextCanBeReadAgainstItsGround(ColorScheme scheme) {
		String[] keys = { "invoice:2026-1", "order:10042", "order:10043", "report:monthly" };
		for (int i = 0; i < keys.length; i++) {
			locks.hold(keys[i], Duration.ofSeconds(7L + 31 * i * i), (i == 1) ? 3 : 0);
		}
		Page page = open(DESKTOP);
		page.emulateMedia(new Page.EmulateMediaOptions().setColorScheme(scheme));
		go(page, "");
		key(page, "order:10042").click();
		for (int i = 0; i < 4; i++) {
			instance.pay("1006" + i, "{\"amount\": 1, \"takes\": \"PT%dS\"}".formatted(i + 1));
		}
		expect(page.locator(".bar.open").nth(2)).isVisible();
		expect(page.locator("#holds .summary")).containsText("hold");
		assertThat((List<?>) page.evaluate(CONTRAST)).isEmpty();
		picture(page, DESKTOP, scheme);
		picture(page, PHONE, scheme);
		assertThat((List<?>) page.evaluate(BARS_OF_ALL_COLORS + CONTRAST)).isEmpty();
	}

	/** As which of them there are depends on the keys. */
	private static final String BARS_OF_ALL_COLORS = """
			[0, 1, 2, 3, 4, 5].forEach((color) => document.querySelector('.track')
				.append(Object.assign(document.createElement('span'), { className: `bar color${color}`, textContent: 'order' })));""";

	/** Texts whose contrast is below 4.5, which WCAG asks for. */
	static final String CONTRAST = """
			[...document.querySelectorAll('body *')].filter((it) => it.getClientRects().length && !it.closest('.hidden, :disabled, option')
					&& [...it.childNodes].some((node) => node.nodeType === 3 && node.data.trim())).flatMap((it) => {
				const rgb = (color) => color.match(/[\\d.]+/g).map(Number);
				const light = (color) => rgb(color).slice(0, 3).map((part) => part / 255)
					.map((part) => part <= .03928 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
					.reduce((sum, part, index) => sum + part * [.2126, .7152, .0722][index], 0);
				let ground = it;
				while (ground && rgb(getComputedStyle(ground).backgroundColor)[3] === 0) ground = ground.parentElement;
				const [dim, bright] = [light(getComputedStyle(it).color),
					light(getComputedStyle(ground ?? document.body).backgroundColor)].sort((one, other) => one - other);
				const contrast = (bright + .05) / (dim + .05);
				return contrast < 4.5 ? [it.outerHTML.slice(0, 80) + ' ' + contrast] : [];
			})""";

	private static void picture(Page page, int width, ColorScheme scheme) {
		if (PICTURES != null) {
			page.setViewportSize(width, 844);
			page.waitForTimeout(3_000);
			String name = "dashboard-%d-%s.png".formatted(width, scheme.name().toLowerCase());
			page.screenshot(
					new Page.ScreenshotOptions().setPath(Path.of(PICTURES, name)).setFullPage(width == DESKTOP));
		}
	}

	private Page open(int width, String prefix) {
		Page page = open(width);
		go(page, "#prefix=" + prefix);
		return page;
	}

	private Page open(int width) {
		Page page = browsing.open(width, this.complaints::add);
		page.setDefaultTimeout(PATIENCE.toMillis());
		this.pages.add(page);
		return page;
	}

	private static void go(Page page, String fragment) {
		page.navigate(instance.url() + "/actuator/mongolocksdashboard" + fragment);
		expect(page.locator("#looked")).hasText("Up to date");
	}

	private static Locator rows(Page page) {
		return page.locator("#locks tbody");
	}

	private static Locator key(Page page, String key) {
		return button(page, key);
	}

	private static Locator button(Page page, String name) {
		return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name).setExact(true));
	}

	private static LocatorAssertions expect(Locator locator) {
		return PlaywrightAssertions.assertThat(locator);
	}

}
