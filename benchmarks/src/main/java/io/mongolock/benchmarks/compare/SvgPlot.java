package io.mongolock.benchmarks.compare;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Lines over the number of threads, both axes logarithmic, as SVG.
 */
final class SvgPlot {

	private static final List<String> COLORS = List.of("#1f77b4", "#d62728", "#ff7f0e", "#2ca02c", "#9467bd");

	private static final int WIDTH = 720;

	private static final int HEIGHT = 400;

	private static final int LEFT = 80;

	private static final int BOTTOM = 50;

	private static final int TOP = 60;

	private static final int RIGHT = 220;

	private final String title;

	private final List<Integer> xs;

	private final List<String> names = new ArrayList<>();

	private final List<List<Double>> series = new ArrayList<>();

	SvgPlot(String title, List<Integer> xs) {
		this.title = title;
		this.xs = xs;
	}

	void add(String name, List<Double> ys) {
		this.names.add(name);
		this.series.add(ys);
	}

	String toSvg() {
		StringBuilder svg = new StringBuilder();
		append(svg, "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif'>", WIDTH,
				HEIGHT);
		append(svg, "<rect width='100%%' height='100%%' fill='white'/>");
		append(svg, "<text x='%d' y='30' font-size='16'>%s</text>", LEFT, this.title);
		int low = (int) Math.floor(Math.log10(extreme(true)));
		int high = (int) Math.ceil(Math.log10(extreme(false)));
		for (int power = low; power <= Math.max(high, low + 1); power++) {
			double y = y(Math.pow(10, power), low, Math.max(high, low + 1));
			append(svg, "<path d='M%d %.1fH%d' stroke='#ddd'/>", LEFT, y, WIDTH - RIGHT);
			append(svg, "<text x='%d' y='%.1f' font-size='12' text-anchor='end'>%s</text>", LEFT - 8, y + 4,
					(power >= 0) ? String.format(Locale.ROOT, "%,.0f", Math.pow(10, power))
							: String.valueOf(Math.pow(10, power)));
		}
		for (int i = 0; i < this.xs.size(); i++) {
			append(svg, "<text x='%.1f' y='%d' font-size='12' text-anchor='middle'>%d</text>", x(i),
					HEIGHT - BOTTOM + 20, this.xs.get(i));
		}
		append(svg, "<text x='%d' y='%d' font-size='12' text-anchor='middle'>threads</text>",
				(LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10);
		for (int i = 0; i < this.series.size(); i++) {
			line(svg, i, low, Math.max(high, low + 1));
		}
		return svg.append("</svg>\n").toString();
	}

	private void line(StringBuilder svg, int index, int low, int high) {
		String color = COLORS.get(index % COLORS.size());
		StringBuilder points = new StringBuilder();
		for (int i = 0; i < this.xs.size(); i++) {
			double value = this.series.get(index).get(i);
			if (value > 0) {
				append(points, "%.1f,%.1f ", x(i), y(value, low, high));
			}
		}
		append(svg, "<polyline points='%s' fill='none' stroke='%s' stroke-width='2.5'/>", points, color);
		append(svg, "<text x='%d' y='%d' font-size='12' fill='%s'>%s</text>", WIDTH - RIGHT + 10, TOP + 20 * index + 4,
				color, this.names.get(index));
	}

	private double x(int index) {
		return LEFT + (WIDTH - RIGHT - LEFT) * (index + 0.5) / this.xs.size();
	}

	private static double y(double value, int low, int high) {
		return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * (Math.log10(value) - low) / (high - low);
	}

	private double extreme(boolean least) {
		var values = this.series.stream().flatMap(List::stream).mapToDouble(Double::doubleValue).filter((y) -> y > 0);
		return (least) ? values.min().orElse(1) : values.max().orElse(1);
	}

	private static void append(StringBuilder svg, String format, Object... values) {
		svg.append(String.format(Locale.ROOT, format, values)).append('\n');
	}

}
