/* What Material leaves out for those who use a keyboard or a screen reader: names, and tables that can be scrolled. */
"use strict";
document.querySelector(".md-search")?.setAttribute("aria-label", "Search");
const reachable = () => document.querySelectorAll(".md-typeset__scrollwrap:not([tabindex])").forEach(one => one.setAttribute("tabindex", "0"));
new MutationObserver(reachable).observe(document.querySelector(".md-content"), {childList: true, subtree: true});
reachable();
