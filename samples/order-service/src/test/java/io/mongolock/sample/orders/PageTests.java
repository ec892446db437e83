package io.mongolock.sample.orders;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Mouse;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.LocatorAssertions;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.AriaRole;
import com.microsoft.playwright.options.BoundingBox;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import io.mongolock.sample.browser.Browsing;
import io.mongolock.test.embedded.EmbeddedMongoMain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The page in a browser, on a desktop and on a phone, with two instances.
 */
@Tag("browser")
class PageTests {

	private static final int DESKTOP = 1280;

	private static final int PHONE = 390;

	private static final int CLICKS = 30;

	private static final int BUTTONS = 5;

	private static final double PRESSED = 100;

	@TempDir
	private static Path directory;

	private static JavaProcess mongo;

	private static String mongoUri;

	private static OrderServiceProcess one;

	private static OrderServiceProcess two;

	private static Browsing browsing;

	private final List<String> complaints = new ArrayList<>();

	@BeforeAll
	static void start() {
		mongo = JavaProcess.start(directory, EmbeddedMongoMain.class, "--port=0");
		mongoUri = mongo.awaitOutput("ready at (mongodb://127.0.0.1:\\d+)") + "/orders";
		one = startInstance().awaitReady();
		two = startInstance().awaitReady();
		await().atMost(Duration.ofMinutes(2)).until(() -> one.get("/orders/10001").statusCode() == 200);
		browsing = new Browsing();
		PlaywrightAssertions.setDefaultAssertionTimeout(Browsing.PATIENCE);
	}

	@AfterAll
	static void stop() {
		browsing.close();
		List.of(one, two).forEach(OrderServiceProcess::close);
		mongo.close();
	}

	@AfterEach
	void noScriptComplained() {
		browsing.closePages();
		assertThat(this.complaints).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void nothingIsWiderThanItsSection(int width) {
		Page page = open(one, width);
		for (String order : List.of("10001", "10008", "10319")) {
			one.pay(order, "{\"amount\": 100, \"takes\": 6}");
			two.pay(order, "{\"amount\": 100, \"takes\": 6}");
		}
		expect(page.locator("#locks .lock").nth(2)).isVisible();
		assertThat(page.evaluate("document.documentElement.scrollWidth")).isEqualTo(width);
		assertThat((List<?>) page.evaluate("""
				[...document.querySelectorAll('section')].flatMap((section) => [...section.querySelectorAll('*')]
					.filter((it) => !it.closest('.reel, .hidden, thead') && it.getClientRects().length)
					.filter((it) => it.getBoundingClientRect().right > section.getBoundingClientRect().right)
					.map((it) => it.outerHTML))""")).isEmpty();
		assertThat((List<?>) page.evaluate("""
				[...document.querySelectorAll('#locks code, #last code')]
					.filter((it) => { const text = document.createRange(); text.selectNodeContents(it);
						return text.getClientRects().length !== 1 || it.scrollWidth > it.clientWidth; })
					.map((it) => it.textContent)""")).as("keys that are broken or cut").isEmpty();
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void everyClickArrives(int width) {
		Page page = open(one, width);
		AtomicInteger accepted = new AtomicInteger();
		page.onResponse((response) -> {
			if (response.url().endsWith("/page/payments") && response.status() == 202) {
				accepted.incrementAndGet();
			}
		});
		Locator buttons = page.locator("#orders button");
		buttons.first().evaluate("(button) => button.scrollIntoView()");
		List<BoundingBox> places = buttons.all().subList(0, BUTTONS).stream().map(Locator::boundingBox).toList();
		for (int i = 0; i < CLICKS; i++) {
			BoundingBox place = places.get(i % BUTTONS);
			// Where the button was, as a person would, not where it may be by now
			page.mouse()
				.click(place.x + place.width / 2, place.y + place.height / 2,
						new Mouse.ClickOptions().setDelay(PRESSED));
		}
		page.waitForCondition(() -> accepted.get() == CLICKS);
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void nothingThatComesAndGoesMovesAButton(int width) {
		Page page = open(two, width);
		expect(page.locator("#locks .lock")).hasCount(0);
		Object before = places(page);
		for (int i = 1; i < 5; i++) {
			two.pay("1031" + i, "{\"amount\": 100, \"takes\": 20}");
		}
		for (int i = 0; i < 12; i++) {
			two.pay("10315", "{\"amount\": 100, \"takes\": 1}");
		}
		button(page, "Pay 1.00 (5 s)").click();
		expect(page.locator("#locks .lock").nth(3)).isVisible();
		expect(page.locator(".state").filter(new Locator.FilterOptions().setHasText("waiting"))).hasCount(1);
		assertThat(places(page)).isEqualTo(before);
		expect(page.locator("#sent li").first()).containsText("to pay");
		button(page, "Send 50 payments of 1.00").click();
		expect(page.locator(".run.kept, .run.lost")).hasCount(2);
		expect(page.locator("#locks .lock")).hasCount(0);
		assertThat(places(page)).isEqualTo(before);
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void theFocusOfTheKeyboardStaysWhileThePageChanges(int width) {
		Page page = open(one, width);
		page.locator("#next").focus();
		page.keyboard().press("Tab");
		page.keyboard().press("Tab");
		page.evaluate("window.focused = document.activeElement");
		assertThat(page.evaluate("focused.getAttribute('aria-label')")).isEqualTo("Pay 1.00 for order 10002");
		Locator balance = page.locator("#orders tr").nth(1).locator("[data-field=balance]");
		for (int payment = 0; payment < 2; payment++) {
			String before = balance.textContent();
			two.pay("10002", "{\"amount\": 1}").join();
			expect(balance).not().hasText(before);
		}
		assertThat(page.evaluate("focused === document.activeElement && focused.matches(':focus-visible')"))
			.isEqualTo(true);
		page.waitForResponse("**/page/payments", () -> page.keyboard().press("Enter"));
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void fiftyPaymentsAreSentWithoutScrolling(int width) {
		Page page = open(one, width);
		BoundingBox place = button(page, "Send 50 payments of 1.00").boundingBox();
		assertThat(place.y + place.height).isLessThan(700);
	}

	@ParameterizedTest
	@ValueSource(ints = { DESKTOP, PHONE })
	void aRowSaysWhatItsPaymentsDo(int width) {
		Page page = open(one, width);
		Locator row = page.locator("#orders tr").nth(3);
		row.locator("button").click();
		expect(row.locator("[data-field=pending]")).hasText(Pattern.compile("1 waits|is paid"));
		row.locator("button").click();
		expect(row.locator("[data-field=pending]")).hasText("is paid, 1 waits");
		expect(row.locator("[data-field=pending]")).isEmpty();
	}

	@Test
	void aSearchThatFindsNothingSaysSo() {
		Page page = open(one, DESKTOP);
		page.locator("#search input").fill("nobody of that name");
		expect(page.locator("#no-orders")).isVisible();
		page.locator("#search input").fill("");
		expect(page.locator("#no-orders")).isHidden();
	}

	@Test
	void aDeadHolderIsSilentUntilItsLeaseEndsAndIsThenTakenOver() {
		OrderServiceProcess victim = startInstance().awaitReady();
		Page page = open(one, DESKTOP);
		Locator lane = page.locator(".lane").filter(new Locator.FilterOptions().setHasText(victim.port()));
		Page elsewhere = open(victim, PHONE);
		elsewhere.locator("#pay input").fill("10020");
		Locator lengthy = button(elsewhere, "Pay 1.00 (20 s)");
		// As long as a busy machine takes for all that is to be seen meanwhile
		lengthy.evaluate("(button) => button.value = 120");
		lengthy.click();
		Locator lock = page.locator("#locks .lock").filter(new Locator.FilterOptions().setHasText("order:10020"));
		expect(lock).containsText(victim.port() + " holds it for");
		page.locator("#pay input").fill("10020");
		button(page, "Pay 1.00 (5 s)").click();
		expect(lock).containsText("Waiting: " + one.port());
		expect(lane.locator(".bar")).hasCount(1);
		elsewhere.close();
		victim.close();
		expect(lock).containsText(Pattern.compile(victim.port() + " silent for \\d+ s, free in \\d+ s"));
		expect(lane.locator(".state")).hasText("silent");
		expect(lane.locator(".bar.silent")).hasCount(1);
		expect(page.locator("#news")).hasText(one.port() + " took over order:10020 from " + victim.port());
		expect(page.locator("#last tr").filter(new Locator.FilterOptions().setHasText("took over from")))
			.containsText(one.port());
		expect(page.locator("#sent li").first()).containsText("10020, 1.00: taken");
	}

	private Page open(OrderServiceProcess instance, int width) {
		Page page = browsing.open(width, this.complaints::add);
		page.navigate(instance.url());
		expect(page.locator("#orders tr")).hasCount(10);
		expect(page.locator(".lane").nth(1)).isVisible();
		return page;
	}

	private static LocatorAssertions expect(Locator locator) {
		return PlaywrightAssertions.assertThat(locator);
	}

	private static Locator button(Page page, String name) {
		return page.getByRole(AriaRole.BUTTON, new Page.GetByRoleOptions().setName(name));
	}

	private static Object places(Page page) {
		return page.evaluate("""
				[...document.querySelectorAll('button')]
					.map((it) => it.textContent + ' ' + (it.getBoundingClientRect().top + scrollY))""");
	}

	private static OrderServiceProcess startInstance() {
		return OrderServiceProcess.start(directory, mongoUri, "--mongo-lock.ttl=30s",
				"--mongo-lock.locks.order.wait-timeout=120s");
	}

}
