// Chromium for the tests: Debian's, driven by playwright-core.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
export const missing = CHROMIUM === undefined;
if (missing && process.env.CI) throw new Error("there is no chromium, and continuous integration must have one");

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let browser;
export async function launch() {
  browser ??= await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  return browser;
}
export async function shutDown() {
  await browser?.close();
  browser = undefined;
}

/** A page that fails the test at any error of its own. */
export async function openPage(url, options = {}) {
  const context = await (await launch()).newContext({
    viewport: { width: 1100, height: 800 }, locale: "en-GB", serviceWorkers: "block", bypassCSP: false, ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(20_000);
  const errors = [];
  page.on("pageerror", (error) => errors.push(String(error)));
  await page.goto(url);
  await page.waitForSelector("html[data-ready]");
  return { page, context, errors, close: async () => { await context.close(); assert.deepEqual(errors, []); } };
}

/** Starts a game from the start dialog. */
export async function startGame(page, { size = 6, level = "easy", human = "white" } = {}) {
  await page.waitForSelector("dialog[open]");
  await page.check(`input[name=size][value="${size}"]`);
  await page.check(`input[name=level][value="${level}"]`);
  await page.check(`input[name=human][value="${human}"]`);
  await page.click("[data-value=play]");
  await page.waitForSelector("dialog", { state: "detached" });
  await page.waitForSelector("[data-cell]");
}

/** What is wrong with the page for assistive technology. */
export async function accessibility(page) {
  // Injected through the protocol, as the page's own policy allows no other scripts.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const { violations } = await page.evaluate(() => window.axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
  }));
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.target.join(" ")} ${node.failureSummary}`).join("; ")}`);
}

/** The squares with a mark, as the labels say it. */
export const marked = (page, word) => page.$$eval("[data-cell]", (cells, mark) =>
  cells.filter((cell) => cell.getAttribute("aria-label").split(", ").includes(mark)).map((cell) => cell.dataset.cell), word);

export const status = (page) => page.textContent("#status");

/** Waits until it is the person's turn or the game is over. */
export async function settled(page) {
  await page.waitForFunction(() => {
    const labels = [...document.querySelectorAll("[data-cell]")].map((cell) => cell.getAttribute("aria-label"));
    return document.querySelector("dialog[open]") || labels.some((label) => label.includes("can move"));
  });
}
